import type { ChatEvent } from "../../canonical/event";
import { type Json, readArray, readObject, readText } from "../../canonical/json";
import type { Frame, Machine } from "../../canonical/machine";
import type { ReadUsage } from "../dialect";
import { parseJsonObject } from "../json-text";
import { blockedText, indexOf } from "./decode-response";
import { hasFailed, readError } from "./error";
import { partsOf } from "./fields";
import { finishReasonOf, finishWordOf } from "./finish-reason";
import { blockReasonOf } from "./pass-through";
import { callIdOf, type Piece, piecesOf } from "./pieces";
import { readUsage as readOwnUsage } from "./usage";

/** `callId`: what the ids of calls begin with that have none. */
type ChoiceState = { callId: string; calls: number; isAfterThinking: boolean; isFinished: boolean };

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
      // A frame that breaks off is no end.
      if (data.trim() !== "") this.isBroken = true;
      return [];
    }
    if (hasFailed(json, event)) {
      this.isBroken = true;
      return [{ type: "error", error: readError(json) }];
    }
    const events: ChatEvent[] = [];
    this.start(json, events);
    const candidates = readArray(json.candidates);
    for (let at = 0; at < candidates.length; at++) this.readCandidate(readObject(candidates[at]), at, events);
    const blocked = blockReasonOf(json);
    if (blocked !== "") this.block(blocked, events);
    const usage = json.usageMetadata === undefined ? null : this.readUsage(json.usageMetadata);
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
    const state = { callId: callIdOf(this.id, choice), calls: 0, isAfterThinking: false, isFinished: false };
    this.choices.set(choice, state);
    return state;
  }

  private readCandidate(candidate: Json, position: number, events: ChatEvent[]): void {
    const choice = indexOf(candidate, position);
    const state = this.stateOf(choice);
    for (const part of partsOf(candidate.content)) {
      for (const piece of piecesOf(part, state.isAfterThinking, state.callId, state.calls) ?? []) {
        this.readPiece(piece, choice, state, events);
      }
    }
    const raw = finishWordOf(candidate);
    if (raw === "") return;
    state.isFinished = true;
    events.push({ type: "finish", choice, reason: finishReasonOf(raw, state.calls > 0) });
  }

  private readPiece(piece: Piece, choice: number, state: ChoiceState, events: ChatEvent[]): void {
    state.isAfterThinking = piece.type === "thinking";
    switch (piece.type) {
      case "text":
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
