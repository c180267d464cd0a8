import { ResponseCollector } from "../../canonical/collect";
import type { ChatEvent, FinishReason } from "../../canonical/event";
import { type Json, readArray, readObject, readText } from "../../canonical/json";
import type { Frame, Machine } from "../../canonical/machine";
import type { ChatResponse } from "../../canonical/response";
import { parseJsonObject } from "../common/json-text";
import type { ReadUsage } from "../dialect";
import { argumentsText, decodeResponse as decodeLikeOpenai } from "../openai-chat/decode-response";
import { createStreamDecoder as createDecoderLikeOpenai } from "../openai-chat/decode-stream";
import { readUsage as readOwnUsage } from "../openai-chat/usage";
import { hasFailed, readError } from "./error";

/** This format has no word for why an answer ends. */
function endReason(): FinishReason {
  return { unified: "stop", raw: "stop" };
}

/** Events of a streamed run → canonical events. Some models write OpenAI's chunks in them. */
export function createStreamDecoder(readUsage: ReadUsage = readOwnUsage): Machine<Frame, ChatEvent> {
  return new StreamDecoder(readUsage);
}

/** `result` is what a stream consists of, in one piece. Null = not a response. */
export function decodeResponse(json: Json, readUsage: ReadUsage = readOwnUsage): ChatResponse | null {
  const result = readObject(json.result);
  if (readArray(result.choices).length > 0) return decodeLikeOpenai(result, readUsage);
  if (result.response === undefined && result.tool_calls === undefined) return null;
  const decoder = new StreamDecoder(readUsage);
  const collector = new ResponseCollector();
  for (const event of [...decoder.read(result), ...decoder.finish()]) collector.add(event);
  return collector.collected();
}

class StreamDecoder implements Machine<Frame, ChatEvent> {
  private readonly readUsage: ReadUsage;
  private likeOpenai: Machine<Frame, ChatEvent> | null = null;
  private isStarted = false;
  private calls = 0;
  /** Positions of the calls that have an index. */
  private readonly open = new Map<number, number>();

  constructor(readUsage: ReadUsage) {
    this.readUsage = readUsage;
  }

  step(frame: Frame): readonly ChatEvent[] {
    const { event, data } = frame;
    if (data.trim() === "[DONE]") return this.likeOpenai ? this.likeOpenai.step(frame) : this.finish();
    const json = parseJsonObject(data);
    if (!json) return [];
    if (hasFailed(json, event)) return [{ type: "error", error: readError(json) }];
    if (Array.isArray(json.choices)) {
      this.likeOpenai ??= createDecoderLikeOpenai(this.readUsage);
      return this.likeOpenai.step(frame);
    }
    return this.read(json);
  }

  end(): ChatEvent[] {
    return [];
  }

  finish(): ChatEvent[] {
    return [{ type: "finish", choice: 0, reason: endReason() }, { type: "end" }];
  }

  read(json: Json): ChatEvent[] {
    const events: ChatEvent[] = [];
    if (!this.isStarted) {
      this.isStarted = true;
      events.push({ type: "start", id: "", model: "" });
    }
    const text = textOf(json.response);
    if (text !== "") events.push({ type: "text-delta", choice: 0, text });
    for (const call of readArray(json.tool_calls)) this.readCall(readCallPiece(call), events);
    const usage = this.readUsage(json.usage);
    if (usage) events.push({ type: "usage", usage });
    return events;
  }

  private readCall(piece: CallPiece, events: ChatEvent[]): void {
    const begun = piece.index === null ? undefined : this.open.get(piece.index);
    // The last piece of a call may have nothing in it.
    if (begun === undefined && piece.name === "") return;
    const index = begun ?? this.calls;
    if (begun === undefined) {
      this.calls += 1;
      if (piece.index !== null) this.open.set(piece.index, index);
      const id = piece.id || idOfCall(piece, index);
      events.push({ type: "tool-call-start", choice: 0, index, id, name: piece.name });
    }
    if (piece.arguments === "") return;
    events.push({ type: "tool-call-delta", choice: 0, index, arguments: piece.arguments });
  }
}

/** With a JSON schema, the answer is JSON and not its text; some models write a number for a text of digits. */
function textOf(value: unknown): string {
  if (typeof value === "object" && value !== null) return JSON.stringify(value);
  return typeof value === "number" || typeof value === "boolean" ? String(value) : readText(value);
}

/** A call, or a piece of one: flat as this format has it, or with the function in an object as OpenAI has it. */
type CallPiece = { index: number | null; id: string; name: string; arguments: string };

function readCallPiece(value: unknown): CallPiece {
  const call = readObject(value);
  const { name, arguments: given }: Json = call.function === undefined ? call : readObject(call.function);
  const index = typeof call.index === "number" ? call.index : null;
  return { index, id: readText(call.id), name: readText(name), arguments: argumentsText(given) };
}

/**
 * An id for a call that has none. Nothing in such an answer tells it from others, so the id is made from what is
 * called: calls of different turns have different ids, unless they are the same.
 */
function idOfCall({ name, arguments: text }: CallPiece, index: number): string {
  let hash = 0x811c9dc5;
  const given = `${name} ${text}`;
  for (let at = 0; at < given.length; at += 1) hash = Math.imul(hash ^ given.charCodeAt(at), 0x01000193) >>> 0;
  return `call_${hash.toString(36)}_${index}`;
}
