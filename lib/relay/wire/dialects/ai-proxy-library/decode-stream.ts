import type { ChatEvent } from "../../canonical/event";
import { readArray, readText } from "../../canonical/json";
import type { Frame, Machine } from "../../canonical/machine";
import { parseJsonObject } from "../common/json-text";
import { documentsText, finishReason } from "./decode-response";
import { hasFailed, readError } from "./error";

/** Frames of a stream → canonical events. */
export function createStreamDecoder(): Machine<Frame, ChatEvent> {
  return new StreamDecoder();
}

class StreamDecoder implements Machine<Frame, ChatEvent> {
  private isStarted = false;
  /** They may come with any frame, and stand behind the answer. */
  private documents: unknown;

  step({ event, data }: Frame): ChatEvent[] {
    const json = parseJsonObject(data);
    if (!json) return [];
    if (hasFailed(json, event)) return [{ type: "error", error: readError(json) }];
    const events: ChatEvent[] = [];
    if (!this.isStarted) {
      this.isStarted = true;
      events.push({ type: "start", id: "", model: readText(json.model) });
    }
    const text = readText(json.content);
    if (text !== "") events.push({ type: "text-delta", choice: 0, text });
    if (readArray(json.documents).length > 0) this.documents = json.documents;
    if (json.finish !== true) return events;
    const list = documentsText(this.documents);
    this.documents = undefined;
    if (list !== "") events.push({ type: "text-delta", choice: 0, text: list });
    events.push({ type: "finish", choice: 0, reason: finishReason() }, { type: "end" });
    return events;
  }

  end(): ChatEvent[] {
    return [];
  }
}
