import type { Citation, Search } from "../../canonical/citation";
import type { ChatEvent, FinishReason, TokenLogprob } from "../../canonical/event";
import type { Json } from "../../canonical/json";
import type { Frame, Machine } from "../../canonical/machine";
import type { Usage } from "../../canonical/usage";
import { parseJsonObject } from "../common/json-text";
import type { RenderContext } from "../dialect";
import { renderCut } from "./error";
import { renderFinishReason } from "./finish-reason";
import { renderGrounding } from "./grounding";
import { renderLogprobs } from "./logprobs";
import { responseId } from "./render-response";
import { renderSignature } from "./signature";
import { renderUsage } from "./usage";
import { callPart, type WrittenCall } from "./write-parts";

/**
 * `signature` waits for the part that it is written at; `calls` wait until they are whole; sources wait for the end.
 * `text`: all so far, because sources are told by its bytes.
 */
type ChoiceState = {
  signature: string | undefined;
  calls: Map<number, WrittenCall>;
  reason: FinishReason | null;
  text: string;
  citations: Citation[];
  searches: Search[];
};
type Content = Exclude<ChatEvent, { type: "start" | "usage" | "error" | "end" | "finish" | "citation" | "search" }>;

/** Canonical events → frames. The reason of the end comes with the last frame, because nothing else tells the end. */
export function createStreamRenderer(context: RenderContext): Machine<ChatEvent, Frame> {
  return new StreamRenderer(context);
}

class StreamRenderer implements Machine<ChatEvent, Frame> {
  private readonly context: RenderContext;
  private readonly choices = new Map<number, ChoiceState>();
  private id = "";
  /** What every frame ends with, as JSON; "" = not written yet. */
  private tail = "";
  private usage: Usage | null = null;
  private hasFailed = false;

  constructor(context: RenderContext) {
    this.context = context;
  }

  step(event: ChatEvent): readonly Frame[] {
    switch (event.type) {
      case "start":
        this.id = event.id;
        this.tail = "";
        return [];
      case "usage":
        this.usage = event.usage;
        return [];
      case "error":
        this.hasFailed = true;
        return renderCut(event.error, this.context.requestId);
      case "end":
        return [];
      case "citation":
        this.stateOf(event.choice).citations.push(event.citation);
        return [];
      case "search":
        this.stateOf(event.choice).searches.push(event.search);
        return [];
      case "finish":
        this.stateOf(event.choice).reason = event.reason;
        return [];
      case "text-delta": {
        const state = this.stateOf(event.choice);
        state.text += event.text;
        const { calls, signature } = state;
        const isPlain = event.text !== "" && event.logprobs === undefined;
        if (isPlain && calls.size === 0 && signature === undefined) return [this.text(event)];
        return this.parts(event, event.logprobs);
      }
      default:
        return this.parts(event);
    }
  }

  private parts(event: Content, tokens?: readonly TokenLogprob[]): Frame[] {
    const parts = this.partsOf(event, this.stateOf(event.choice));
    return parts.length === 0 ? [] : [this.frame(event.choice, parts, tokens)];
  }

  /** Most frames of a stream are of this kind, so only the text is written anew. */
  private text({ choice, text }: { choice: number; text: string }): Frame {
    if (this.tail === "") {
      const { context } = this;
      const named = { modelVersion: context.model, responseId: responseId(this.id, context) };
      this.tail = JSON.stringify(named).slice(1);
    }
    const content = `{"parts":[{"text":${JSON.stringify(text)}}],"role":"model"}`;
    return { event: null, data: `{"candidates":[{"content":${content},"index":${choice}}],${this.tail}` };
  }

  end(isClean: boolean): readonly Frame[] {
    if (!isClean || this.hasFailed) return [];
    if (this.choices.size === 0) this.stateOf(0);
    const candidates = [...this.choices].map(([index, state]) => {
      const rest = [...takeCalls(state, true), ...takeSignature(state)];
      const { text, citations, searches } = state;
      const groundingMetadata = renderGrounding(text, citations, searches);
      return {
        content: { parts: rest.length > 0 ? rest : [{ text: "" }], role: "model" },
        finishReason: state.reason ? renderFinishReason(state.reason) : "STOP",
        ...(groundingMetadata ? { groundingMetadata } : {}),
        index,
      };
    });
    const { writers } = this.context;
    const usageMetadata = this.usage ? renderUsage(this.usage) : undefined;
    return [this.write({ candidates, usageMetadata, ...(writers ? { models: writers } : {}) })];
  }

  private stateOf(choice: number): ChoiceState {
    const known = this.choices.get(choice);
    if (known) return known;
    const calls = new Map<number, WrittenCall>();
    const state = { signature: undefined, calls, reason: null, text: "", citations: [], searches: [] };
    this.choices.set(choice, state);
    return state;
  }

  private partsOf(event: Content, state: ChoiceState): Json[] {
    switch (event.type) {
      case "text-delta":
      case "refusal-delta":
        if (event.text === "") return [];
        return [...takeCalls(state, false), signed({ text: event.text }, state)];
      case "thinking-delta":
        return [...takeCalls(state, false), ...takeSignature(state), { text: event.text, thought: true }];
      case "thinking-signature":
        return this.sign(event.signature, state);
      case "redacted-thinking":
        return this.sign(event.data, state);
      case "tool-call-start": {
        const whole = takeCalls(state, false);
        const { id, name } = event;
        state.calls.set(event.index, { id, name, arguments: "", signature: state.signature });
        state.signature = undefined;
        return whole;
      }
      case "tool-call-delta": {
        const call = state.calls.get(event.index);
        if (call) call.arguments += event.arguments;
        return [];
      }
    }
  }

  private sign(signature: string, state: ChoiceState): Json[] {
    const before = [...takeCalls(state, false), ...takeSignature(state)];
    state.signature = renderSignature(signature);
    return before;
  }

  private frame(index: number, parts: readonly Json[], tokens?: readonly TokenLogprob[]): Frame {
    if (tokens) {
      const content = { parts, role: "model" };
      return this.write({ candidates: [{ content, logprobsResult: renderLogprobs(tokens), index }] });
    }
    return this.write({ candidates: [{ content: { parts, role: "model" }, index }] });
  }

  private write(rest: Json): Frame {
    const { context } = this;
    rest.modelVersion = context.model;
    rest.responseId = responseId(this.id, context);
    return { event: null, data: JSON.stringify(rest) };
  }
}

/** The calls that are whole, as far as none before them is not. `all`: nothing more comes. */
function takeCalls({ calls }: ChoiceState, all: boolean): Json[] {
  const parts: Json[] = [];
  for (const [index, call] of calls) {
    if (!all && !parseJsonObject(call.arguments)) break;
    parts.push(callPart(call));
    calls.delete(index);
  }
  return parts;
}

function takeSignature(state: ChoiceState): Json[] {
  return state.signature === undefined ? [] : [signed({ text: "" }, state)];
}

function signed(part: Json, state: ChoiceState): Json {
  const { signature } = state;
  state.signature = undefined;
  return signature === undefined ? part : { ...part, thoughtSignature: signature };
}
