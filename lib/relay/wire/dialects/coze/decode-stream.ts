import type { ChatEvent, FinishReason } from "../../canonical/event";
import { type Json, readText } from "../../canonical/json";
import type { Frame, Machine } from "../../canonical/machine";
import { parseJsonObject } from "../common/json-text";
import type { ReadUsage } from "../dialect";
import { hasFailed, readError } from "./error";
import { readUsage as readOwnUsage } from "./usage";

/** The status of a chat that is over; there are no other reasons. */
function finishReason(): FinishReason {
  return { unified: "stop", raw: "completed" };
}

const DONE = '"[DONE]"';

/** Frames of a stream → canonical events. */
export function createStreamDecoder(readUsage: ReadUsage = readOwnUsage): Machine<Frame, ChatEvent> {
  return new StreamDecoder(readUsage);
}

/** Only messages of type answer are the answer; the others tell what the bot does, or suggest questions. */
class StreamDecoder implements Machine<Frame, ChatEvent> {
  private readonly readUsage: ReadUsage;
  private isStarted = false;
  /** The ids of answers that came in pieces; their end repeats them. */
  private readonly told = new Set<string>();

  constructor(readUsage: ReadUsage) {
    this.readUsage = readUsage;
  }

  step({ event, data }: Frame): ChatEvent[] {
    if (event === "done" || data === DONE) return [{ type: "end" }];
    const json = parseJsonObject(data);
    if (!json) return [];
    if (hasFailed(json, event)) return [{ type: "error", error: readError(json, event) }];
    const events: ChatEvent[] = [];
    switch (event) {
      case "conversation.chat.created":
        if (!this.isStarted) events.push({ type: "start", id: readText(json.id), model: "" });
        this.isStarted = true;
        break;
      case "conversation.message.delta":
        if (json.type !== "answer") break;
        this.told.add(readText(json.id));
        addText(json, events);
        break;
      case "conversation.message.completed":
        if (json.type === "answer" && !this.told.has(readText(json.id))) addText(json, events);
        break;
      case "conversation.chat.completed":
        this.complete(json, events);
    }
    return events;
  }

  private complete(json: Json, events: ChatEvent[]): void {
    events.push({ type: "finish", choice: 0, reason: finishReason() });
    const usage = this.readUsage(json.usage);
    if (usage) events.push({ type: "usage", usage });
  }

  end(): ChatEvent[] {
    return [];
  }
}

function addText({ content, reasoning_content: thinking }: Json, events: ChatEvent[]): void {
  if (readText(thinking) !== "") events.push({ type: "thinking-delta", choice: 0, text: readText(thinking) });
  if (readText(content) !== "") events.push({ type: "text-delta", choice: 0, text: readText(content) });
}
