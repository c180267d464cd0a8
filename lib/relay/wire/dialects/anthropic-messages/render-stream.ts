import type { Citation, Search } from "../../canonical/citation";
import type { ChatEvent, FinishReason } from "../../canonical/event";
import type { Json } from "../../canonical/json";
import type { Frame, Machine } from "../../canonical/machine";
import type { Usage } from "../../canonical/usage";
import { parseJsonObject } from "../common/json-text";
import type { RenderContext } from "../dialect";
import { renderCitation } from "./citations";
import { renderCut } from "./error";
import { renderFinishReason } from "./finish-reason";
import { messageId } from "./render-response";
import { renderUsage } from "./usage";
import { renderSearch } from "./web-search";

/** `call`: index of the tool call. `arguments`: what was written so far. */
type Block = OpenBlock | { type: "tool_use"; call: number; arguments: string };
/** A tool call held back until the previous one is complete, because blocks cannot overlap. */
type WaitingCall = { id: string; name: string; arguments: string };
type ToolEvent = Extract<ChatEvent, { type: "tool-call-start" | "tool-call-delta" }>;

/** Canonical events → frames of a messages stream. Renders only the first choice: clients of this dialect cannot ask for more. */
export function createStreamRenderer(context: RenderContext, resumed?: Resumed): Machine<ChatEvent, Frame> {
  return new StreamRenderer(context, resumed);
}

export type OpenBlock = { type: "text" } | { type: "thinking" };
/** Where a stream that broke off goes on. `blockCount`: of the blocks that are closed. */
type Resumed = { block: OpenBlock | null; blockCount: number };

class StreamRenderer implements Machine<ChatEvent, Frame> {
  private readonly context: RenderContext;
  private frames: Frame[] = [];
  private isStarted = false;
  private block: Block | null = null;
  private blockCount = 0;
  private readonly waiting = new Map<number, WaitingCall>();
  private finishReason: FinishReason | null = null;
  private usage: Usage | null = null;
  private hasFailed = false;

  constructor(context: RenderContext, resumed?: Resumed) {
    this.context = context;
    if (!resumed) return;
    this.isStarted = true;
    this.block = resumed.block;
    this.blockCount = resumed.blockCount;
  }

  step(event: ChatEvent): Frame[] {
    this.frames = [];
    if (event.type === "start") this.start(event.id);
    else if (event.type === "usage") this.usage = event.usage;
    else if (event.type === "error") this.fail(event.error);
    else if (event.type !== "end" && event.choice === 0) {
      this.start("");
      this.render(event);
    }
    return this.frames;
  }

  end(isClean: boolean): Frame[] {
    this.frames = [];
    if (!isClean || this.hasFailed) return [];
    this.start("");
    this.flushCalls();
    const reason = this.finishReason ? renderFinishReason(this.finishReason) : "end_turn";
    this.write("message_delta", {
      delta: { stop_reason: reason, stop_sequence: null },
      usage: renderUsage(this.usage),
      ...(this.context.writers ? { models: this.context.writers } : {}),
    });
    this.write("message_stop", {});
    return this.frames;
  }

  private write(type: string, rest: Json): void {
    this.frames.push({ event: type, data: JSON.stringify({ type, ...rest }) });
  }

  private start(id: string): void {
    if (this.isStarted) return;
    this.isStarted = true;
    this.write("message_start", {
      message: {
        id: messageId(id, this.context),
        type: "message",
        role: "assistant",
        model: this.context.model,
        content: [],
        stop_reason: null,
        stop_sequence: null,
        // Not known yet; the real counts come at the end of the stream.
        usage: { input_tokens: 0, output_tokens: 0 },
      },
    });
  }

  private fail(error: Extract<ChatEvent, { type: "error" }>["error"]): void {
    this.hasFailed = true;
    this.frames.push(...renderCut(error, this.context.requestId));
  }

  private render(event: Exclude<ChatEvent, { type: "start" | "usage" | "error" | "end" }>): void {
    switch (event.type) {
      case "text-delta":
      case "refusal-delta":
        if (this.block?.type !== "text") this.open({ type: "text" }, { type: "text", text: "" });
        this.addText(event.text);
        break;
      case "citation":
        this.cite(event.citation);
        break;
      case "search":
        this.flushCalls();
        this.addSearch(event.search);
        break;
      case "thinking-delta":
        this.openThinking();
        this.delta({ type: "thinking_delta", thinking: event.text });
        break;
      case "thinking-signature":
        this.openThinking();
        this.delta({ type: "signature_delta", signature: event.signature });
        this.close();
        break;
      case "redacted-thinking":
        this.flushCalls();
        this.begin({ type: "redacted_thinking", data: event.data });
        this.stop();
        break;
      case "tool-call-start":
      case "tool-call-delta":
        this.renderCall(event);
        break;
      case "finish":
        this.finishReason = event.reason;
        this.flushCalls();
        break;
    }
  }

  /** A source without an address, or about a text that is over, has no place here. */
  private cite(source: Citation): void {
    const citation = this.block?.type === "text" ? renderCitation(source) : null;
    if (citation) this.delta({ type: "citations_delta", citation });
  }

  private addSearch(search: Search): void {
    const [call, result] = renderSearch(search);
    this.begin({ ...call, input: {} });
    this.delta({ type: "input_json_delta", partial_json: JSON.stringify(call.input) });
    this.stop();
    this.begin(result);
    this.stop();
  }

  private openThinking(): void {
    this.open({ type: "thinking" }, { type: "thinking", thinking: "", signature: "" });
  }

  /** Opens a block, unless one of this type is already open. */
  private open(block: Block, content: Json): void {
    if (this.block?.type === block.type) return;
    this.flushCalls();
    this.begin(content);
    this.block = block;
  }

  private begin(content: Json): void {
    this.write("content_block_start", { index: this.blockCount, content_block: content });
  }

  private delta(delta: Json): void {
    this.write("content_block_delta", { index: this.blockCount, delta });
  }

  /** Most events of a stream are of this kind, so only the text is written anew. */
  private addText(text: string): void {
    const delta = `{"type":"text_delta","text":${JSON.stringify(text)}}`;
    const data = `{"type":"content_block_delta","index":${this.blockCount},"delta":${delta}}`;
    this.frames.push({ event: "content_block_delta", data });
  }

  private stop(): void {
    this.write("content_block_stop", { index: this.blockCount });
    this.blockCount += 1;
  }

  private close(): void {
    if (!this.block) return;
    this.block = null;
    this.stop();
  }

  private beginCall(call: number, { id, name }: { id: string; name: string }): void {
    this.close();
    this.begin({ type: "tool_use", id, name, input: {} });
    this.block = { type: "tool_use", call, arguments: "" };
  }

  private addArguments(block: Extract<Block, { type: "tool_use" }>, text: string): void {
    if (text === "") return;
    block.arguments += text;
    this.delta({ type: "input_json_delta", partial_json: text });
  }

  /** Other dialects may interleave tool calls. Here one is written while the others wait. */
  private renderCall(event: ToolEvent): void {
    const { block } = this;
    if (event.type === "tool-call-start") {
      const isBusy = block?.type === "tool_use" && (this.waiting.size > 0 || !parseJsonObject(block.arguments));
      if (isBusy) this.waiting.set(event.index, { id: event.id, name: event.name, arguments: "" });
      else this.beginCall(event.index, event);
      return;
    }
    const waiting = this.waiting.get(event.index);
    if (waiting) waiting.arguments += event.arguments;
    else if (block?.type === "tool_use" && block.call === event.index) this.addArguments(block, event.arguments);
  }

  /** Closes the open block and writes the waiting tool calls. */
  private flushCalls(): void {
    this.close();
    for (const [index, call] of this.waiting) {
      this.beginCall(index, call);
      if (this.block?.type === "tool_use") this.addArguments(this.block, call.arguments);
      this.close();
    }
    this.waiting.clear();
  }
}
