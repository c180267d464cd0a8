import type { Citation } from "../../canonical/citation";
import type { ChatEvent } from "../../canonical/event";
import { type Json, readArray, readObject, readText } from "../../canonical/json";
import type { Frame, Machine } from "../../canonical/machine";
import type { WireError } from "../../canonical/wire-error";
import { inventCallId } from "../common/calls/open-calls";
import { parseJsonObject } from "../common/json-text";
import { readLogprobs } from "../common/openai/openai-logprobs";
import { isFilled } from "../common/reported-error";
import type { ReadUsage } from "../dialect";
import { decodeAnnotations, decodeSources } from "./annotations";
import { argumentsText } from "./decode-response";
import { hasFailed } from "./error";
import { readFinishReason } from "./finish-reason";
import { contentTexts, drawnPictures } from "./message-content";
import { decodeDetails, reasoningText } from "./reasoning-details";
import { readUsage as readOwnUsage } from "./usage";

/**
 * A tool call being written. `index`: position among the started calls, counted here; null = no name yet, so not
 * started. `early`: arguments that arrived before the name.
 */
type OpenCall = { index: number | null; id: string; early: string };
/** `length`: of the text so far. */
type ChoiceState = {
  calls: Map<number, OpenCall>;
  seen: number;
  begun: number;
  hasPlainThinking: boolean;
  length: number;
  isCited: boolean;
};

/** Frames of a chat completion → canonical events. */
export function createStreamDecoder(readUsage: ReadUsage = readOwnUsage): Machine<Frame, ChatEvent> {
  return new StreamDecoder(readUsage);
}

class StreamDecoder implements Machine<Frame, ChatEvent> {
  private readonly readUsage: ReadUsage;
  private readonly choices = new Map<number, ChoiceState>();
  private id = "";
  private isStarted = false;
  /** The last event with a list of sources beside its choices; null = none. */
  private sources: Json | null = null;

  constructor(readUsage: ReadUsage) {
    this.readUsage = readUsage;
  }

  step({ event, data }: Frame): ChatEvent[] {
    if (data.trim() === "[DONE]") return [{ type: "end" }];
    const json = parseJsonObject(data);
    if (!json) return [];
    if (hasFailed(json, event)) return [{ type: "error", error: readError(json) }];
    const events: ChatEvent[] = [];
    if (!this.isStarted) {
      this.isStarted = true;
      this.id = readText(json.id);
      events.push({ type: "start", id: this.id, model: readText(json.model) });
    }
    if (json.citations !== undefined || json.search_results !== undefined) this.sources = json;
    let ofChoice: unknown;
    const choices = readArray(json.choices);
    for (let at = 0; at < choices.length; at++) {
      const choice = readObject(choices[at]);
      ofChoice ??= choice.usage;
      this.readChoice(choice, typeof choice.index === "number" ? choice.index : at, events);
    }
    const usage = this.readUsage(json.usage ?? ofChoice);
    if (usage) events.push({ type: "usage", usage });
    return events;
  }

  end(): ChatEvent[] {
    return [];
  }

  private stateOf(choice: number): ChoiceState {
    const known = this.choices.get(choice);
    if (known) return known;
    const calls = new Map<number, OpenCall>();
    const state = { calls, seen: 0, begun: 0, hasPlainThinking: false, length: 0, isCited: false };
    this.choices.set(choice, state);
    return state;
  }

  private readChoice(choice: Json, index: number, events: ChatEvent[]): void {
    const state = this.stateOf(index);
    const delta = readObject(choice.delta);
    const { text: said, thinking } = contentTexts(delta.content);
    const text = delta.images === undefined ? said : said + drawnPictures(delta);
    this.readThinking(delta, thinking, state, index, events);
    const logprobs = choice.logprobs ? readLogprobs(readObject(choice.logprobs).content) : undefined;
    if (logprobs) events.push({ type: "text-delta", choice: index, text, logprobs });
    else if (text !== "") events.push({ type: "text-delta", choice: index, text });
    state.length += text.length;
    if (delta.annotations) this.cite(decodeAnnotations(delta.annotations, state.length), state, index, events);
    if (readText(delta.refusal) !== "") {
      events.push({ type: "refusal-delta", choice: index, text: readText(delta.refusal) });
    }
    const calls = readArray(delta.tool_calls);
    for (let at = 0; at < calls.length; at++) this.readCall(readObject(calls[at]), at, state, index, events);
    // The older form, which some servers still answer in.
    if (calls.length === 0 && isFilled(delta.function_call)) {
      this.readCall({ index: 0, function: delta.function_call }, 0, state, index, events);
    }
    const reason = readText(choice.finish_reason);
    if (reason === "") return;
    if (this.sources && !state.isCited) this.cite(decodeSources(this.sources, state.length), state, index, events);
    for (const call of state.calls.values()) startCall(call, "", state, index, events);
    events.push({ type: "finish", choice: index, reason: readFinishReason(reason) });
  }

  private cite(citations: readonly Citation[], state: ChoiceState, choice: number, events: ChatEvent[]): void {
    if (state.length === 0) return;
    for (const citation of citations) events.push({ type: "citation", choice, citation });
    state.isCited ||= citations.length > 0;
  }

  /**
   * Details repeat the text of the plain field. When both are present, only signatures and redacted parts are taken
   * from the details.
   */
  private readThinking(delta: Json, inContent: string, state: ChoiceState, choice: number, events: ChatEvent[]): void {
    const plain = reasoningText(delta) || inContent;
    if (plain !== "") {
      state.hasPlainThinking = true;
      events.push({ type: "thinking-delta", choice, text: plain });
    }
    if (delta.reasoning_details === undefined) return;
    for (const thought of decodeDetails(delta.reasoning_details)) {
      if (thought.type === "redacted-thinking") {
        events.push({ type: "redacted-thinking", choice, data: thought.data });
        continue;
      }
      if (!state.hasPlainThinking && thought.text !== "") {
        events.push({ type: "thinking-delta", choice, text: thought.text });
      }
      if (thought.signature !== undefined) {
        events.push({ type: "thinking-signature", choice, signature: thought.signature });
      }
    }
  }

  private readCall(call: Json, position: number, state: ChoiceState, choice: number, events: ChatEvent[]): void {
    const { name, arguments: values } = readObject(call.function);
    const id = readText(call.id);
    const key = typeof call.index === "number" ? call.index : keyWithoutIndex(state, id, position);
    let open = state.calls.get(key);
    // Some upstreams send the same index for every call.
    if (open && id !== "" && open.id !== id && readText(name) !== "") open = undefined;
    if (!open) {
      open = { index: null, id: id || inventCallId(this.id, choice, state.seen), early: "" };
      state.seen += 1;
      state.calls.set(key, open);
    }
    if (readText(name) !== "") startCall(open, readText(name), state, choice, events);
    const text = argumentsText(values);
    if (text === "") return;
    if (open.index === null) open.early += text;
    else events.push({ type: "tool-call-delta", choice, index: open.index, arguments: text });
  }
}

/** A call starts when its name arrives; earlier arguments are sent right after. */
function startCall(call: OpenCall, name: string, state: ChoiceState, choice: number, events: ChatEvent[]): void {
  if (call.index !== null) return;
  const index = state.begun;
  call.index = index;
  state.begun += 1;
  events.push({ type: "tool-call-start", choice, index, id: call.id, name });
  if (call.early !== "") events.push({ type: "tool-call-delta", choice, index, arguments: call.early });
  call.early = "";
}

/** A call without an index is identified by its id. Without an id either, the delta belongs to the latest call. */
function keyWithoutIndex(state: ChoiceState, id: string, position: number): number {
  for (const [key, call] of state.calls) if (id !== "" && call.id === id) return key;
  return id === "" ? Math.max(position, state.calls.size - 1) : state.calls.size;
}

function readError(json: Json): WireError {
  const error = json.error ?? readArray(json.choices).map((choice) => readObject(choice).error)[0];
  const { message, type, param, code } = readObject(error);
  return {
    message: readText(message) || readText(error) || readText(json.message) || "the upstream failed",
    type: readText(type) || "upstream_error",
    param: readText(param) || null,
    code: typeof code === "number" ? code : readText(code) || null,
  };
}
