import type { ChatEvent } from "../../canonical/event";
import { type Json, readArray, readObject, readText } from "../../canonical/json";
import type { Frame, Machine } from "../../canonical/machine";
import { OpenCalls } from "../common/calls/open-calls";
import { parseJsonObject } from "../common/json-text";
import type { ReadUsage } from "../dialect";
import { argumentsText, choicesOf, contentText, indexOf } from "./content";
import { hasFailed, readError } from "./error";
import { readFinishReason } from "./finish-reason";
import { readUsage as readOwnUsage } from "./usage";

type ChoiceState = { calls: OpenCalls; isFinished: boolean };

/** Frames of a stream → canonical events. */
export function createStreamDecoder(readUsage: ReadUsage = readOwnUsage): Machine<Frame, ChatEvent> {
  return new StreamDecoder(readUsage);
}

class StreamDecoder implements Machine<Frame, ChatEvent> {
  private readonly readUsage: ReadUsage;
  private readonly choices = new Map<number, ChoiceState>();
  private id = "";
  private isStarted = false;
  private isBroken = false;

  constructor(readUsage: ReadUsage) {
    this.readUsage = readUsage;
  }

  step({ event, data }: Frame): ChatEvent[] {
    const json = parseJsonObject(data);
    if (!json) {
      if (data.trim() !== "") this.isBroken = true;
      return [];
    }
    if (hasFailed(json, event)) {
      this.isBroken = true;
      return [{ type: "error", error: readError(json) }];
    }
    const events: ChatEvent[] = [];
    if (!this.isStarted) {
      this.isStarted = true;
      this.id = readText(json.request_id);
      events.push({ type: "start", id: this.id, model: "" });
    }
    const given = choicesOf(json);
    for (let at = 0; at < given.length; at++) {
      const choice = given[at] ?? {};
      this.readChoice(choice, indexOf(choice, at), events);
    }
    const usage = this.readUsage(json.usage);
    if (usage) events.push({ type: "usage", usage });
    return events;
  }

  /** The format has no mark of its end: a stream is whole when every choice has finished. */
  end(isClean: boolean): ChatEvent[] {
    if (!isClean || this.isBroken || this.choices.size === 0) return [];
    for (const { isFinished } of this.choices.values()) if (!isFinished) return [];
    return [{ type: "end" }];
  }

  private stateOf(choice: number): ChoiceState {
    const known = this.choices.get(choice);
    if (known) return known;
    const state: ChoiceState = { calls: new OpenCalls(choice), isFinished: false };
    this.choices.set(choice, state);
    return state;
  }

  private readChoice(given: Json, choice: number, events: ChatEvent[]): void {
    const state = this.stateOf(choice);
    const message = readObject(given.message);
    const thinking = readText(message.reasoning_content);
    if (thinking !== "") events.push({ type: "thinking-delta", choice, text: thinking });
    const text = contentText(message.content);
    if (text !== "") events.push({ type: "text-delta", choice, text });
    const calls = readArray(message.tool_calls);
    for (let at = 0; at < calls.length; at++) this.readCall(readObject(calls[at]), at, state, events);
    const reason = readFinishReason(given.finish_reason);
    if (!reason) return;
    state.calls.close(events);
    state.isFinished = true;
    events.push({ type: "finish", choice, reason });
  }

  private readCall(call: Json, position: number, { calls }: ChoiceState, events: ChatEvent[]): void {
    const { name, arguments: values } = readObject(call.function);
    const key = typeof call.index === "number" ? call.index : position;
    calls.add(key, { id: readText(call.id), name: readText(name), arguments: argumentsText(values) }, this.id, events);
  }
}
