import type { ChatEvent } from "../../canonical/event";
import { type Json, readArray, readObject, readText } from "../../canonical/json";
import type { Frame, Machine } from "../../canonical/machine";
import { isUnknownEnd } from "../common/failed-end";
import { parseJsonObject } from "../common/json-text";
import type { ReadUsage } from "../dialect";
import { blockedText, indexOf, searchIdOf } from "./decode-response";
import { readError, reportsFailure } from "./error";
import { partsOf } from "./fields";
import { finishReasonOf, finishWordOf } from "./finish-reason";
import { readGrounding } from "./grounding";
import { readLogprobs } from "./logprobs";
import { blockReasonOf } from "./pass-through";
import { callIdOf, type Piece, piecesOf } from "./pieces";
import { readUsage as readOwnUsage, withSearches } from "./usage";

/**
 * `callId`: what the ids of calls begin with that have none. `text`: all so far, because sources are told by its bytes.
 * `sources`: the last candidate that told any.
 */
type ChoiceState = {
  callId: string;
  calls: number;
  isAfterThinking: boolean;
  isFinished: boolean;
  text: string;
  sources: Json | null;
};

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
  private searches = 0;

  constructor(readUsage: ReadUsage) {
    this.readUsage = readUsage;
  }

  step({ event, data }: Frame): ChatEvent[] {
    const json = parseJsonObject(data);
    if (!json) {
      // A frame that breaks off is no end.
      if (data.trim() !== "") this.isBroken = true;
      return [];
    }
    if (reportsFailure(json, event)) {
      this.isBroken = true;
      return [{ type: "error", error: readError(json) }];
    }
    const events: ChatEvent[] = [];
    this.start(json, events);
    const candidates = readArray(json.candidates);
    for (let at = 0; at < candidates.length; at++) this.readCandidate(readObject(candidates[at]), at, json, events);
    const blocked = blockReasonOf(json);
    if (blocked !== "") this.block(blocked, events);
    const usage =
      json.usageMetadata === undefined ? null : withSearches(this.readUsage(json.usageMetadata), this.searches);
    if (usage) events.push({ type: "usage", usage });
    return events;
  }

  /** There is no mark of the end but that of the body: the stream is whole when every candidate has finished. */
  end(isClean: boolean): ChatEvent[] {
    const isWhole = this.choices.size > 0 && [...this.choices.values()].every(({ isFinished }) => isFinished);
    return isClean && isWhole && !this.isBroken ? [{ type: "end" }] : [];
  }

  private start(json: Json, events: ChatEvent[]): void {
    if (this.isStarted) return;
    this.isStarted = true;
    this.id = readText(json.responseId);
    events.push({ type: "start", id: this.id, model: readText(json.modelVersion) });
  }

  private stateOf(choice: number): ChoiceState {
    const known = this.choices.get(choice);
    if (known) return known;
    const callId = callIdOf(this.id, choice);
    const state = { callId, calls: 0, isAfterThinking: false, isFinished: false, text: "", sources: null };
    this.choices.set(choice, state);
    return state;
  }

  private readCandidate(candidate: Json, position: number, json: Json, events: ChatEvent[]): void {
    const choice = indexOf(candidate, position);
    const state = this.stateOf(choice);
    const before = events.length;
    for (const part of partsOf(candidate.content)) {
      for (const piece of piecesOf(part, state.isAfterThinking, state.callId, state.calls) ?? []) {
        this.readPiece(piece, choice, state, events);
      }
    }
    if (candidate.logprobsResult !== undefined) addLogprobs(events, before, candidate);
    if (candidate.groundingMetadata !== undefined || candidate.citationMetadata !== undefined)
      state.sources = candidate;
    const raw = finishWordOf(candidate);
    if (raw === "") return;
    if (isUnknownEnd(candidate) && state.calls === 0) {
      this.isBroken = true;
      events.push({ type: "error", error: readError(json) });
      return;
    }
    state.isFinished = true;
    this.cite(choice, state, events);
    events.push({ type: "finish", choice, reason: finishReasonOf(raw, state.calls > 0) });
  }

  private cite(choice: number, state: ChoiceState, events: ChatEvent[]): void {
    if (!state.sources) return;
    const { citations, search } = readGrounding(state.sources, state.text, searchIdOf(this.id, choice));
    state.sources = null;
    if (state.text !== "") for (const citation of citations) events.push({ type: "citation", choice, citation });
    if (!search) return;
    this.searches += search.queries.length;
    events.push({ type: "search", choice, search });
  }

  private readPiece(piece: Piece, choice: number, state: ChoiceState, events: ChatEvent[]): void {
    state.isAfterThinking = piece.type === "thinking";
    switch (piece.type) {
      case "text":
        state.text += piece.text;
        events.push({ type: "text-delta", choice, text: piece.text });
        return;
      case "thinking":
        events.push({ type: "thinking-delta", choice, text: piece.text });
        return;
      case "signature":
        events.push({ type: "thinking-signature", choice, signature: piece.signature });
        return;
      case "redacted-thinking":
        events.push({ type: "redacted-thinking", choice, data: piece.data });
        return;
      case "tool-call": {
        const index = state.calls;
        state.calls += 1;
        events.push({ type: "tool-call-start", choice, index, id: piece.id, name: piece.name });
        events.push({ type: "tool-call-delta", choice, index, arguments: piece.arguments });
        return;
      }
      default:
    }
  }

  private block(raw: string, events: ChatEvent[]): void {
    this.stateOf(0).isFinished = true;
    events.push({ type: "refusal-delta", choice: 0, text: blockedText(raw) });
    events.push({ type: "finish", choice: 0, reason: { unified: "content-filter", raw } });
  }
}

/** They are told of a whole candidate, so the first text since then has them. `from`: where its events begin. */
function addLogprobs(events: ChatEvent[], from: number, candidate: Json): void {
  const at = events.findIndex(({ type }, i) => i >= from && type === "text-delta");
  const event = events[at];
  const logprobs = readLogprobs(candidate);
  if (event?.type === "text-delta" && logprobs) events[at] = { ...event, logprobs };
}
