import { type Json, readArray, readObject, readText } from "../../canonical/json";
import type { Frame } from "../../canonical/machine";
import { parseJsonObject } from "../common/json-text";
import { isFilled } from "../common/reported-error";
import type { RenderContext, ResumedStream } from "../dialect";
import { createStreamRenderer, type OpenBlock } from "./render-stream";

/** A call after thoughts must come with their signature, which only the upstream that thought them can give. */
export function isContinuable({ thinking, tools }: Json): boolean {
  const { type } = readObject(thinking);
  return type === undefined || type === "disabled" || readArray(tools).length === 0;
}

/** Reads the frames that the client has. Null = the stream cannot be continued. */
export function resumeStream(frames: readonly Frame[], context: RenderContext): ResumedStream | null {
  const reader = new DeliveredReader();
  for (const { event, data } of frames) {
    const json = parseJsonObject(data);
    if (!json || !reader.read(json, readText(json.type) || event)) return null;
  }
  const { text, thoughts, block, blockCount, isStarted } = reader;
  // Thoughts without the signature that ends them could not be sent back.
  if (!isStarted || text + thoughts === "" || block?.type === "thinking") return null;
  return { text, thoughts, renderer: createStreamRenderer(context, { block, blockCount }) };
}

class DeliveredReader {
  isStarted = false;
  text = "";
  thoughts = "";
  /** The open block; null = none. */
  block: OpenBlock | null = null;
  /** Of those that are closed. */
  blockCount = 0;

  /** False = the stream cannot be continued. */
  read(json: Json, type: string | null): boolean {
    switch (type) {
      case "message_start":
        this.isStarted = true;
        return true;
      case "ping":
        return true;
      case "content_block_start":
        return json.index === this.blockCount && this.block === null && this.open(readObject(json.content_block));
      case "content_block_delta":
        return json.index === this.blockCount && this.block !== null && this.add(readObject(json.delta));
      case "content_block_stop":
        this.block = null;
        this.blockCount += 1;
        return true;
      default:
        return false;
    }
  }

  private open({ type, ...rest }: Json): boolean {
    // A second block after text would be joined with the first.
    if ((type !== "text" && type !== "thinking") || this.text !== "") return false;
    this.block = { type };
    return this.add({ ...rest, type: `${type}_delta` });
  }

  private add({ type, text, thinking, ...rest }: Json): boolean {
    // A signature ends thoughts for good; a citation belongs to its text.
    if ((type !== "text_delta" && type !== "thinking_delta" && type !== "signature_delta") || isFilled(rest))
      return false;
    this.text += readText(text);
    this.thoughts += readText(thinking);
    return true;
  }
}
