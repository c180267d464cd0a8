import type { Citation } from "../../canonical/citation";
import type { ChatEvent, TokenLogprob } from "../../canonical/event";
import type { Json } from "../../canonical/json";
import type { Frame, Machine } from "../../canonical/machine";
import type { Usage } from "../../canonical/usage";
import { renderLogprobs } from "../common/openai/openai-logprobs";
import type { RenderContext } from "../dialect";
import { encodeAnnotation } from "./annotations";
import { renderCut } from "./error";
import { renderFinishReason } from "./finish-reason";
import { encodeDetail } from "./reasoning-details";
import { completionId } from "./render-response";
import { renderUsage } from "./usage";

/** `thinking`: the text of the current thought, because the entry with its signature repeats it whole. */
type ChoiceState = { thinking: string; details: number };

type Delta = Exclude<ChatEvent, { type: "start" | "usage" | "error" | "end" | "finish" | "search" | "citation" }>;

/** Canonical events → frames of a chat completion. */
export function createStreamRenderer(context: RenderContext): Machine<ChatEvent, Frame> {
  return new StreamRenderer(context);
}

class StreamRenderer implements Machine<ChatEvent, Frame> {
  private readonly context: RenderContext;
  private readonly choices = new Map<number, ChoiceState>();
  private id = "";
  /** What every frame begins and ends with, as JSON. "" = the id has not arrived. */
  private head = "";
  private readonly tail: string;
  private usage: Usage | null = null;
  private hasFailed = false;

  constructor(context: RenderContext) {
    this.context = context;
    this.tail = context.wantsUsage ? ',"usage":null}' : "}";
  }

  step(event: ChatEvent): Frame[] {
    switch (event.type) {
      case "start":
        this.id = event.id;
        this.head = "";
        return this.open(0);
      case "usage":
        this.usage = event.usage;
        return [];
      case "error":
        this.hasFailed = true;
        return [...renderCut(event.error, this.context.requestId)];
      case "end":
      case "search":
        return [];
      case "citation":
        return this.cite(event.choice, event.citation);
      case "finish":
        return this.opened(event.choice, this.frame(event.choice, {}, renderFinishReason(event.reason)));
      default: {
        const tokens = event.type === "text-delta" ? event.logprobs : undefined;
        return this.opened(event.choice, this.frame(event.choice, this.delta(event), null, tokens));
      }
    }
  }

  end(isClean: boolean): Frame[] {
    if (!isClean || this.hasFailed) return [];
    const done: Frame = { event: null, data: "[DONE]" };
    if (!this.context.wantsUsage || !this.usage) return [done];
    const usage = JSON.stringify(renderUsage(this.usage));
    return [{ event: null, data: `${this.written()},"choices":[],"usage":${usage}}` }, done];
  }

  private opened(choice: number, frame: Frame): Frame[] {
    return this.choices.has(choice) ? [frame] : [...this.open(choice), frame];
  }

  /** The first frame of a choice carries the role. */
  private open(choice: number): Frame[] {
    if (this.choices.has(choice)) return [];
    this.choices.set(choice, { thinking: "", details: 0 });
    return [this.frame(choice, { role: "assistant", content: "" }, null)];
  }

  private delta(event: Delta): Json {
    switch (event.type) {
      case "text-delta":
        return { content: event.text };
      case "refusal-delta":
        return { refusal: event.text };
      case "thinking-delta":
        this.stateOf(event.choice).thinking += event.text;
        return { reasoning_content: event.text };
      case "thinking-signature":
        return this.signed(event.choice, event.signature);
      case "redacted-thinking":
        return this.detail(event.choice, { type: "redacted-thinking", data: event.data });
      case "tool-call-start": {
        const { index, id, name } = event;
        return { tool_calls: [{ index, id, type: "function", function: { name, arguments: "" } }] };
      }
      case "tool-call-delta":
        return { tool_calls: [{ index: event.index, function: { arguments: event.arguments } }] };
    }
  }

  /** What has no address has no place here. */
  private cite(choice: number, citation: Citation): Frame[] {
    const annotation = encodeAnnotation(citation);
    return annotation ? this.opened(choice, this.frame(choice, { annotations: [annotation] }, null)) : [];
  }

  private stateOf(choice: number): ChoiceState {
    const state = this.choices.get(choice) ?? { thinking: "", details: 0 };
    this.choices.set(choice, state);
    return state;
  }

  private signed(choice: number, signature: string): Json {
    const state = this.stateOf(choice);
    const text = state.thinking;
    state.thinking = "";
    return this.detail(choice, { type: "thinking", text, signature });
  }

  private detail(choice: number, thought: Parameters<typeof encodeDetail>[0]): Json {
    const state = this.stateOf(choice);
    const entry = encodeDetail(thought, state.details);
    state.details += 1;
    return { reasoning_details: [entry] };
  }

  /** The end of an answer that several models wrote names them. */
  private get writers(): string {
    const { writers } = this.context;
    return writers ? `,"models":${JSON.stringify(writers)}` : "";
  }

  /** Only what differs is written anew: the rest of a frame takes longer to write than its text. */
  private frame(index: number, delta: Json, finishReason: string | null, tokens?: readonly TokenLogprob[]): Frame {
    const reason = finishReason === null ? "null" : JSON.stringify(finishReason);
    const chances = tokens ? JSON.stringify({ content: renderLogprobs(tokens), refusal: null }) : "null";
    const choice = `{"index":${index},"delta":${JSON.stringify(delta)},"logprobs":${chances},"finish_reason":${reason}}`;
    const writers = finishReason === null ? "" : this.writers;
    return { event: null, data: `${this.written()},"choices":[${choice}]${writers}${this.tail}` };
  }

  private written(): string {
    if (this.head === "") {
      const { createdAt: created, model } = this.context;
      const id = completionId(this.id, this.context);
      this.head = JSON.stringify({ id, object: "chat.completion.chunk", created, model }).slice(0, -1);
    }
    return this.head;
  }
}
