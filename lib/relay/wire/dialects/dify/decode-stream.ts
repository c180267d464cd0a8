import type { ChatEvent } from "../../canonical/event";
import { type Json, readObject, readText } from "../../canonical/json";
import type { Frame, Machine } from "../../canonical/machine";
import { parseJsonObject } from "../common/json-text";
import type { ReadUsage } from "../dialect";
import { finishReason, readOwnUsage } from "./decode-response";
import { hasFailed, readError } from "./error";

/** Frames of a stream → canonical events. */
export function createStreamDecoder(readUsage: ReadUsage = readOwnUsage): Machine<Frame, ChatEvent> {
  return new StreamDecoder(readUsage);
}

/**
 * Thoughts of agents repeat what their messages said; nodes of a workflow tell only that it goes on. Neither is part of the
 * answer.
 */
class StreamDecoder implements Machine<Frame, ChatEvent> {
  private readonly readUsage: ReadUsage;
  private isStarted = false;
  private hasText = false;
  private isReplaced = false;

  constructor(readUsage: ReadUsage) {
    this.readUsage = readUsage;
  }

  step({ event, data }: Frame): ChatEvent[] {
    const json = parseJsonObject(data);
    if (!json) return [];
    if (hasFailed(json, event)) return [{ type: "error", error: readError(json) }];
    const events: ChatEvent[] = [];
    if (!this.isStarted && readText(json.message_id) !== "") {
      this.isStarted = true;
      events.push({ type: "start", id: readText(json.message_id), model: "" });
    }
    this.read(json, events);
    return events;
  }

  private read(json: Json, events: ChatEvent[]): void {
    switch (json.event) {
      case "message":
      case "agent_message":
        this.addText(readText(json.answer), events);
        return;
      case "message_file":
        this.addText(pictureText(json), events);
        return;
      case "message_replace":
        // What was said cannot be taken back.
        this.isReplaced = true;
        this.addText(this.hasText ? `\n\n${readText(json.answer)}` : readText(json.answer), events);
        return;
      case "message_end": {
        events.push({ type: "finish", choice: 0, reason: finishReason(this.isReplaced) });
        const usage = this.readUsage(readObject(json.metadata).usage);
        if (usage) events.push({ type: "usage", usage });
        events.push({ type: "end" });
      }
    }
  }

  private addText(text: string, events: ChatEvent[]): void {
    if (text === "") return;
    this.hasText = true;
    events.push({ type: "text-delta", choice: 0, text });
  }

  end(): ChatEvent[] {
    return [];
  }
}

/** A file that a tool of the application made; "" = it has no address that callers could use. */
function pictureText({ belongs_to: owner, url }: Json): string {
  const address = readText(url);
  return owner === "assistant" && /^https?:\/\/[^\s)]+$/.test(address) ? `\n\n![](${address})\n\n` : "";
}
