import type { ChatEvent } from "../../canonical/event";
import { readText } from "../../canonical/json";
import type { Frame, Machine } from "../../canonical/machine";
import { OpenCalls } from "../common/calls/open-calls";
import { parseJsonObject } from "../common/json-text";
import type { ReadUsage } from "../dialect";
import { type FunctionCall, readCall, readOwnUsage } from "./decode-response";
import { hasFailed, readError } from "./error";
import { readFinishReason } from "./finish-reason";

/** Frames of a stream → canonical events. */
export function createStreamDecoder(readUsage: ReadUsage = readOwnUsage): Machine<Frame, ChatEvent> {
  return new StreamDecoder(readUsage);
}

class StreamDecoder implements Machine<Frame, ChatEvent> {
  private readonly readUsage: ReadUsage;
  private readonly calls = new OpenCalls(0);
  private id = "";
  private isStarted = false;

  constructor(readUsage: ReadUsage) {
    this.readUsage = readUsage;
  }

  step({ event, data }: Frame): ChatEvent[] {
    const json = parseJsonObject(data);
    if (!json) return [];
    if (hasFailed(json, event)) return [{ type: "error", error: readError(json) }];
    const events: ChatEvent[] = [];
    if (!this.isStarted) {
      this.isStarted = true;
      this.id = readText(json.id);
      events.push({ type: "start", id: this.id, model: "" });
    }
    const call = readCall(json);
    if (call && call.thoughts !== "") events.push({ type: "thinking-delta", choice: 0, text: call.thoughts });
    const text = readText(json.result);
    if (text !== "") events.push({ type: "text-delta", choice: 0, text });
    if (call) this.addCall(call, events);
    const usage = this.readUsage(json.usage);
    if (json.is_end !== true) return usage ? [...events, { type: "usage", usage }] : events;
    this.calls.close(events);
    events.push({ type: "finish", choice: 0, reason: readFinishReason(json, this.calls.count > 0) });
    if (usage) events.push({ type: "usage", usage });
    events.push({ type: "end" });
    return events;
  }

  end(): ChatEvent[] {
    return [];
  }

  private addCall({ name, arguments: values }: FunctionCall, events: ChatEvent[]): void {
    if (name === "" && values === "" && !this.calls.has(0)) return;
    this.calls.add(0, { id: "", name, arguments: values }, this.id, events);
  }
}
