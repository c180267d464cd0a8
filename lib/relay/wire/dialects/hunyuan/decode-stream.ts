import type { ChatEvent } from "../../canonical/event";
import { type Json, readArray, readObject, readText } from "../../canonical/json";
import type { Frame, Machine } from "../../canonical/machine";
import { OpenCalls } from "../common/calls/open-calls";
import { parseJsonObject } from "../common/json-text";
import type { ReadUsage } from "../dialect";
import { choicesOf, indexOf, readOwnUsage } from "./decode-response";
import { hasFailed, innerOf, readError } from "./error";
import { readFinishReason } from "./finish-reason";

type ChoiceState = { calls: OpenCalls; lastCall: string | number; isFinished: boolean };

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
    const inner = innerOf(json);
    if (!this.isStarted) {
      this.isStarted = true;
      this.id = readText(inner.Id);
      events.push({ type: "start", id: this.id, model: "" });
    }
    const given = choicesOf(inner);
    for (let at = 0; at < given.length; at++) {
      const choice = given[at] ?? {};
      this.readChoice(choice, indexOf(choice, at), events);
    }
    const usage = this.readUsage(inner.Usage);
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
    const state: ChoiceState = { calls: new OpenCalls(choice), lastCall: 0, isFinished: false };
    this.choices.set(choice, state);
    return state;
  }

  private readChoice(given: Json, choice: number, events: ChatEvent[]): void {
    const state = this.stateOf(choice);
    const { Content, ReasoningContent, ToolCalls } = readObject(given.Delta);
    const thinking = readText(ReasoningContent);
    if (thinking !== "") events.push({ type: "thinking-delta", choice, text: thinking });
    const text = readText(Content);
    if (text !== "") events.push({ type: "text-delta", choice, text });
    const calls = readArray(ToolCalls);
    for (let at = 0; at < calls.length; at++) this.readCall(readObject(calls[at]), state, events);
    const reason = readFinishReason(given.FinishReason);
    if (!reason) return;
    state.calls.close(events);
    state.isFinished = true;
    events.push({ type: "finish", choice, reason });
  }

  /** The pieces of a call have the same id; one without an id goes on with the last call. */
  private readCall(call: Json, state: ChoiceState, events: ChatEvent[]): void {
    const { Name, Arguments } = readObject(call.Function);
    const id = readText(call.Id);
    if (id !== "") state.lastCall = id;
    state.calls.add(state.lastCall, { id, name: readText(Name), arguments: readText(Arguments) }, this.id, events);
  }
}
