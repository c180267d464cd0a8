import type { Citation, Search } from "../../canonical/citation";
import type { ChatEvent, FinishReason, TokenLogprob } from "../../canonical/event";
import type { Json } from "../../canonical/json";
import type { Frame, Machine } from "../../canonical/machine";
import type { Usage } from "../../canonical/usage";
import { moved } from "../common/citation-place";
import { renderLogprobs } from "../common/openai/openai-logprobs";
import type { RenderContext } from "../dialect";
import { encodeAnnotation } from "./annotations";
import { errorFrame } from "./error";
import { incompleteReason } from "./finish-reason";
import {
  callItem,
  type ItemStatus,
  itemId,
  messageItem,
  newCall,
  partJson,
  reasoningItem,
  responseId,
  responseJson,
  type SaidPart,
  type WrittenCall,
} from "./output-items";
import { type Declared, declaredTools, inputOf } from "./tools";
import { searchItem } from "./web-search";

/** `parts`: the last one is open. */
export type OpenMessage = { id: string; index: number; parts: SaidPart[] };
/** `text`: null = no summary has begun. */
export type OpenThought = { id: string; index: number; text: string | null };
type OpenCall = WrittenCall & { index: number };

/**
 * Where a stream that broke off goes on. `sequence`: the number of the next event. `output`: the items that are over.
 */
type Resumed = {
  id: string;
  sequence: number;
  output: readonly Json[];
  message: OpenMessage | null;
  thought: OpenThought | null;
};

type Content = Exclude<ChatEvent, { type: "start" | "usage" | "error" | "end" }>;

/** Canonical events → frames of a response. Renders only the first choice: clients of this dialect cannot ask for more. */
export function createStreamRenderer(context: RenderContext, resumed?: Resumed): Machine<ChatEvent, Frame> {
  return new StreamRenderer(context, resumed);
}

class StreamRenderer implements Machine<ChatEvent, Frame> {
  private readonly context: RenderContext;
  private readonly declared: ReadonlyMap<string, Declared>;
  private frames: Frame[] = [];
  private isStarted = false;
  private hasFailed = false;
  private id = "";
  private sequence = 0;
  /** Items by position; null = still open. */
  private readonly output: (Json | null)[] = [];
  private message: OpenMessage | null = null;
  /** Where the open part of the message is, as JSON without braces: most events of a stream have it. "" = not known. */
  private place = "";
  private thought: OpenThought | null = null;
  /** Calls may be written side by side, so they all stay open until the answer ends. */
  private readonly calls = new Map<number, OpenCall>();
  private reason: FinishReason | null = null;
  private usage: Usage | null = null;
  /** Of all text so far. */
  private length = 0;

  constructor(context: RenderContext, resumed?: Resumed) {
    this.context = context;
    this.declared = declaredTools(context.request ?? {});
    if (!resumed) return;
    this.isStarted = true;
    this.id = resumed.id;
    this.sequence = resumed.sequence;
    this.output = [...resumed.output];
    this.message = resumed.message;
    this.thought = resumed.thought;
    if (resumed.message || resumed.thought) this.nextIndex();
  }

  step(event: ChatEvent): Frame[] {
    this.frames = [];
    if (event.type === "start") this.start(event.id);
    else if (event.type === "usage") this.usage = event.usage;
    else if (event.type === "error") {
      this.hasFailed = true;
      this.frames.push(errorFrame(event.error, this.context.requestId, this.sequence));
    } else if (event.type !== "end" && event.choice === 0) {
      this.start("");
      this.render(event);
    }
    return this.frames;
  }

  end(isClean: boolean): Frame[] {
    this.frames = [];
    if (!isClean || this.hasFailed) return [];
    this.start("");
    this.closeAll();
    const reason = this.reason ?? { unified: "stop", raw: "" };
    const type = incompleteReason(reason) ? "response.incomplete" : "response.completed";
    const { writers } = this.context;
    this.write(type, { response: { ...this.response(reason), ...(writers ? { models: writers } : {}) } });
    return this.frames;
  }

  private write(type: string, rest: Json): void {
    this.frames.push({ event: type, data: JSON.stringify({ type, sequence_number: this.sequence, ...rest }) });
    this.sequence += 1;
  }

  private response(reason: FinishReason | null): Json {
    const output = this.output.filter((item) => item !== null);
    return responseJson({ id: this.id, output, reason, usage: this.usage }, this.context);
  }

  private start(id: string): void {
    if (this.isStarted) return;
    this.isStarted = true;
    this.id = responseId(id, this.context);
    this.write("response.created", { response: this.response(null) });
    this.write("response.in_progress", { response: this.response(null) });
  }

  private render(event: Content): void {
    switch (event.type) {
      case "text-delta":
        this.closeThought(null);
        this.addText("output_text", event.text, event.logprobs);
        break;
      case "refusal-delta":
        this.closeThought(null);
        this.addText("refusal", event.text);
        break;
      case "citation":
        this.cite(event.citation);
        break;
      case "search":
        this.closeMessage();
        this.closeThought(null);
        this.addSearch(event.search);
        break;
      case "thinking-delta":
        this.closeMessage();
        this.addThought(event.text);
        break;
      case "thinking-signature":
        this.closeMessage();
        this.beginSummary(this.thought ?? this.openThought());
        this.closeThought(event.signature);
        break;
      case "redacted-thinking":
        this.closeMessage();
        this.closeThought(null);
        this.openThought();
        this.closeThought(event.data);
        break;
      case "tool-call-start":
        this.closeMessage();
        this.closeThought(null);
        this.openCall(event.index, event.id, event.name);
        break;
      case "tool-call-delta":
        this.addArguments(event.index, event.arguments);
        break;
      case "finish":
        this.reason = event.reason;
        this.closeAll();
    }
  }

  /** The position of the next item, which is taken by it. */
  private nextIndex(): number {
    return this.output.push(null) - 1;
  }

  private beginItem(index: number, item: Json): void {
    this.write("response.output_item.added", { output_index: index, item });
  }

  private endItem(index: number, item: Json): void {
    this.output[index] = item;
    this.write("response.output_item.done", { output_index: index, item });
  }

  private openMessage(): OpenMessage {
    const index = this.nextIndex();
    const message: OpenMessage = { id: itemId("msg", this.id, index), index, parts: [] };
    this.message = message;
    this.beginItem(index, messageItem(message.id, [], "in_progress"));
    return message;
  }

  private addText(type: SaidPart["type"], text: string, tokens?: readonly TokenLogprob[]): void {
    if (text === "") return;
    const message = this.message ?? this.openMessage();
    let part = message.parts.at(-1);
    if (part?.type !== type) {
      this.closePart(message);
      part = { type, text: "" };
      message.parts.push(part);
      this.write("response.content_part.added", { ...partPlace(message), part: partJson(part) });
    }
    part.text += text;
    if (type === "output_text") this.length += text.length;
    if (this.place === "") this.place = JSON.stringify(partPlace(message)).slice(1, -1);
    this.writeDelta(type, text, tokens ? addTokens(part, tokens) : "[]");
  }

  /** A source without an address, or about a text that is over, has no place here. */
  private cite(citation: Citation): void {
    const part = this.message?.parts.at(-1);
    if (!this.message || part?.type !== "output_text") return;
    const annotation = encodeAnnotation(moved(citation, part.text.length - this.length));
    if (!annotation) return;
    part.annotations ??= [];
    const place = { ...partPlace(this.message), annotation_index: part.annotations.length };
    part.annotations.push(annotation);
    this.write("response.output_text.annotation.added", { ...place, annotation });
  }

  private addSearch(search: Search): void {
    const index = this.nextIndex();
    const id = itemId("ws", this.id, index);
    const place = { output_index: index, item_id: id };
    this.beginItem(index, searchItem(id, search, false));
    for (const state of ["in_progress", "searching", "completed"])
      this.write(`response.web_search_call.${state}`, place);
    this.endItem(index, searchItem(id, search, true));
  }

  private writeDelta(type: SaidPart["type"], text: string, logprobs: string): void {
    const event = type === "refusal" ? "response.refusal.delta" : "response.output_text.delta";
    const head = `{"type":"${event}","sequence_number":${this.sequence},${this.place}`;
    const rest = type === "refusal" ? "" : `,"logprobs":${logprobs}`;
    this.frames.push({ event, data: `${head},"delta":${JSON.stringify(text)}${rest}}` });
    this.sequence += 1;
  }

  private closePart(message: OpenMessage): void {
    const part = message.parts.at(-1);
    this.place = "";
    if (!part) return;
    const place = partPlace(message);
    if (part.type === "refusal") this.write("response.refusal.done", { ...place, refusal: part.text });
    else this.write("response.output_text.done", { ...place, text: part.text, logprobs: part.logprobs ?? [] });
    this.write("response.content_part.done", { ...place, part: partJson(part) });
  }

  private closeMessage(status: ItemStatus = "completed"): void {
    const { message } = this;
    if (!message) return;
    this.message = null;
    this.closePart(message);
    this.endItem(message.index, messageItem(message.id, message.parts, status));
  }

  private openThought(): OpenThought {
    const index = this.nextIndex();
    const thought: OpenThought = { id: itemId("rs", this.id, index), index, text: null };
    this.thought = thought;
    this.beginItem(index, reasoningItem(thought.id, null, null));
    return thought;
  }

  private beginSummary(thought: OpenThought): void {
    if (thought.text !== null) return;
    thought.text = "";
    this.write("response.reasoning_summary_part.added", { ...summaryPlace(thought), part: summaryPart("") });
  }

  private addThought(text: string): void {
    if (text === "") return;
    const thought = this.thought ?? this.openThought();
    this.beginSummary(thought);
    thought.text += text;
    this.write("response.reasoning_summary_text.delta", { ...summaryPlace(thought), delta: text });
  }

  private closeThought(seal: string | null): void {
    const { thought } = this;
    if (!thought) return;
    this.thought = null;
    const { id, index, text } = thought;
    if (text !== null) {
      this.write("response.reasoning_summary_text.done", { ...summaryPlace(thought), text });
      this.write("response.reasoning_summary_part.done", { ...summaryPlace(thought), part: summaryPart(text) });
    }
    this.endItem(index, reasoningItem(id, text, seal));
  }

  private openCall(key: number, callId: string, name: string): void {
    const index = this.nextIndex();
    const id = (prefix: string) => itemId(prefix, this.id, index);
    const call = { ...newCall({ id, callId, fullName: name }, this.declared), index };
    this.calls.set(key, call);
    this.beginItem(index, callItem(call, "in_progress"));
  }

  private addArguments(key: number, text: string): void {
    const call = this.calls.get(key);
    if (!call || text === "") return;
    call.arguments += text;
    // A free text is known only when the arguments around it are whole.
    if (!call.isFree) this.write("response.function_call_arguments.delta", { ...callPlace(call), delta: text });
  }

  private closeCall(call: OpenCall): void {
    const { name, arguments: values } = call;
    if (call.isFree) {
      const input = inputOf(values);
      if (input !== "") this.write("response.custom_tool_call_input.delta", { ...callPlace(call), delta: input });
      this.write("response.custom_tool_call_input.done", { ...callPlace(call), input });
    } else this.write("response.function_call_arguments.done", { ...callPlace(call), name, arguments: values });
    this.endItem(call.index, callItem(call, "completed"));
  }

  private closeAll(): void {
    this.closeThought(null);
    this.closeMessage(this.reason && incompleteReason(this.reason) ? "incomplete" : "completed");
    for (const call of this.calls.values()) this.closeCall(call);
    this.calls.clear();
  }
}

/** The logprobs of a delta, as JSON. */
function addTokens(part: SaidPart, tokens: readonly TokenLogprob[]): string {
  const rendered = renderLogprobs(tokens);
  part.logprobs ??= [];
  for (const token of rendered) part.logprobs.push(token);
  return JSON.stringify(rendered);
}

function partPlace({ id, index, parts }: OpenMessage): Json {
  return { item_id: id, output_index: index, content_index: parts.length - 1 };
}

function summaryPlace({ id, index }: OpenThought): Json {
  return { item_id: id, output_index: index, summary_index: 0 };
}

function summaryPart(text: string): Json {
  return { type: "summary_text", text };
}

function callPlace({ id, index }: OpenCall): Json {
  return { item_id: id, output_index: index };
}
