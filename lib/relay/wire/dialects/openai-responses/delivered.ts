import { type Json, readArray, readObject, readText } from "../../canonical/json";
import { isFilled } from "../common/reported-error";
import { typeOf } from "./items";
import type { OpenMessage, OpenThought } from "./render-stream";

/** Reads the events that a client has, as long as they are thoughts that nobody sealed, and one text after them. */
export class DeliveredReader {
  response: Json | null = null;
  text = "";
  thoughts = "";
  /** The number of the next event. */
  sequence = 0;
  /** The items that are over. */
  readonly output: Json[] = [];
  message: OpenMessage | null = null;
  thought: OpenThought | null = null;
  /** The open thought has parts that are over, or is more than a summary. */
  isPartial = false;

  /** False = there is more than that. */
  read(json: Json, type: string | null): boolean {
    if (typeof json.sequence_number === "number") this.sequence = json.sequence_number + 1;
    switch (type) {
      case "response.created":
      case "response.in_progress":
      case "response.queued":
        this.response ??= readObject(json.response);
        return true;
      case "keepalive":
        return true;
      case "response.reasoning_summary_part.added":
        return this.think("");
      case "response.reasoning_summary_text.delta":
        return this.think(readText(json.delta));
      case "response.reasoning_text.delta":
        this.isPartial = true;
        return this.think(readText(json.delta));
      case "response.reasoning_summary_part.done":
      case "response.reasoning_summary_text.done":
      case "response.reasoning_text.done":
        this.isPartial = true;
        return true;
      case "response.output_item.added":
        return json.output_index === this.output.length && this.begin(readObject(json.item));
      case "response.output_item.done":
        return json.output_index === this.output.length && this.endThought(readObject(json.item));
      case "response.content_part.added":
        return this.beginPart(json);
      case "response.output_text.delta":
        return this.add(json);
      default:
        return false;
    }
  }

  private begin(item: Json): boolean {
    if (this.message || this.thought || isFilled(item.encrypted_content)) return false;
    const place = { id: readText(item.id), index: this.output.length };
    if (typeOf(item) === "reasoning") {
      this.thought = { ...place, text: null };
      return true;
    }
    if (typeOf(item) !== "message" || readArray(item.content).length > 0) return false;
    this.message = { ...place, parts: [] };
    return true;
  }

  private think(text: string): boolean {
    if (!this.thought) return false;
    this.thought.text = (this.thought.text ?? "") + text;
    this.thoughts += text;
    return true;
  }

  private endThought(item: Json): boolean {
    const isPlain = this.thought !== null && typeOf(item) === "reasoning" && !isFilled(item.encrypted_content);
    this.thought = null;
    this.isPartial = false;
    this.output.push(item);
    return isPlain;
  }

  private beginPart({ part }: Json): boolean {
    const { type, text, annotations, logprobs } = readObject(part);
    if (type === "reasoning_text") return this.thought !== null;
    if (type !== "output_text" || !this.message || this.message.parts.length > 0) return false;
    if (isFilled(text) || isFilled(annotations) || isFilled(logprobs)) return false;
    this.message.parts.push({ type, text: "" });
    return true;
  }

  private add({ delta, logprobs, content_index: at }: Json): boolean {
    const part = this.message?.parts[0];
    if (!part || isFilled(logprobs) || (at ?? 0) !== 0) return false;
    part.text += readText(delta);
    this.text += readText(delta);
    return true;
  }
}
