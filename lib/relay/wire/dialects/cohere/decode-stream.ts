import type { ChatEvent } from "../../canonical/event";
import { type Json, readObject, readText } from "../../canonical/json";
import type { Frame, Machine } from "../../canonical/machine";
import { parseJsonObject } from "../common/json-text";
import type { ReadUsage } from "../dialect";
import { argumentsText } from "../openai-chat/decode-response";
import { hasFailed, readError } from "./error";
import { readFinishReason } from "./finish-reason";
import { readUsage as readOwnUsage } from "./usage";

/** Events of a streamed chat → canonical events. */
export function createStreamDecoder(readUsage: ReadUsage = readOwnUsage): Machine<Frame, ChatEvent> {
  return new StreamDecoder(readUsage);
}

class StreamDecoder implements Machine<Frame, ChatEvent> {
  private readonly readUsage: ReadUsage;
  private isStarted = false;
  /** Positions of the calls by the index that the upstream gives them. */
  private readonly calls = new Map<unknown, number>();
  private begun = 0;

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
      events.push({ type: "start", id: readText(json.id), model: "" });
    }
    const delta = readObject(json.delta);
    this.read(json, delta, readObject(delta.message), events);
    return events;
  }

  end(): ChatEvent[] {
    return [];
  }

  private read(json: Json, delta: Json, message: Json, events: ChatEvent[]): void {
    switch (json.type) {
      case "content-start":
      case "content-delta":
        addContent(readObject(message.content), events);
        break;
      case "tool-plan-delta":
        addText(readText(message.tool_plan), events);
        break;
      case "tool-call-start":
        this.startCall(json.index, readObject(message.tool_calls), events);
        break;
      case "tool-call-delta":
        this.addArguments(json.index, readObject(message.tool_calls), events);
        break;
      case "message-end":
        this.endMessage(delta, events);
    }
  }

  private startCall(key: unknown, call: Json, events: ChatEvent[]): void {
    const index = this.begun;
    this.begun += 1;
    this.calls.set(key, index);
    const { name } = readObject(call.function);
    events.push({ type: "tool-call-start", choice: 0, index, id: readText(call.id), name: readText(name) });
    this.addArguments(key, call, events);
  }

  private addArguments(key: unknown, call: Json, events: ChatEvent[]): void {
    const index = this.calls.get(key);
    const text = argumentsText(readObject(call.function).arguments);
    if (index === undefined || text === "") return;
    events.push({ type: "tool-call-delta", choice: 0, index, arguments: text });
  }

  private endMessage(delta: Json, events: ChatEvent[]): void {
    const reason = readText(delta.finish_reason);
    if (reason !== "") events.push({ type: "finish", choice: 0, reason: readFinishReason(reason) });
    const usage = this.readUsage(delta.usage);
    if (usage) events.push({ type: "usage", usage });
    events.push({ type: "end" });
  }
}

function addContent(content: Json, events: ChatEvent[]): void {
  const thinking = readText(content.thinking);
  if (thinking !== "") events.push({ type: "thinking-delta", choice: 0, text: thinking });
  addText(readText(content.text), events);
}

function addText(text: string, events: ChatEvent[]): void {
  if (text !== "") events.push({ type: "text-delta", choice: 0, text });
}
