import type { ChatEvent } from "../../canonical/event";
import { type Json, readArray, readObject, readText } from "../../canonical/json";
import type { Frame, Machine } from "../../canonical/machine";
import type { AssistantPart } from "../../canonical/request";
import { countThrough, moved } from "../common/citation-place";
import { parseJsonObject } from "../common/json-text";
import { readLogprobs } from "../common/openai/openai-logprobs";
import type { ReadUsage } from "../dialect";
import { decodeAnnotation } from "./annotations";
import { argumentsOf, decodeItem, hasSummary, joinThoughts } from "./decode-response";
import { hasFailed, readError } from "./error";
import { CALL_TYPES, finishReasonOf } from "./finish-reason";
import { THOUGHT_BREAK, typeOf } from "./items";
import { INPUT_END, INPUT_START, inputPiece } from "./tools";
import { readUsage as readOwnUsage, withSearches } from "./usage";
import { decodeSearch } from "./web-search";

/**
 * An item being written. `call`: position among the calls; null = none. `part`: the part of a thought that was written
 * last. `hasDeltas`: some of it has arrived, so that what repeats the whole is not read.
 */
type OpenItem = {
  call: number | null;
  isFree: boolean;
  hasDeltas: boolean;
  isOver: boolean;
  part: string;
  /** Length of the text before it. */
  before: number;
  isCited: boolean;
};

const choice = 0;

/** Frames of a response → canonical events. */
export function createStreamDecoder(readUsage: ReadUsage = readOwnUsage): Machine<Frame, ChatEvent> {
  return new StreamDecoder(readUsage);
}

class StreamDecoder implements Machine<Frame, ChatEvent> {
  private readonly readUsage: ReadUsage;
  /** By id and by position, because some upstreams change the one or the other. */
  private readonly items = new Map<unknown, OpenItem>();
  private callCount = 0;
  private isStarted = false;
  private hasContent = false;
  private hasThought = false;
  /** Of all text so far, and of that before the open part. */
  private length = 0;
  private beforePart = 0;
  private searchCount = 0;
  private events: ChatEvent[] = [];

  constructor(readUsage: ReadUsage) {
    this.readUsage = readUsage;
  }

  step({ event, data }: Frame): ChatEvent[] {
    const json = parseJsonObject(data);
    if (!json) return [];
    if (hasFailed(json, event)) return [{ type: "error", error: readError(json) }];
    this.events = [];
    this.read(json, readText(json.type) || event);
    return this.events;
  }

  end(): ChatEvent[] {
    return [];
  }

  private read(json: Json, type: string | null): void {
    switch (type) {
      case "response.created":
      case "response.in_progress":
      case "response.queued":
        this.start(readObject(json.response));
        break;
      case "response.output_item.added":
        this.addItem(json.output_index, readObject(json.item));
        break;
      case "response.content_part.added":
        this.beforePart = this.length;
        break;
      case "response.output_text.annotation.added":
        this.cite(this.itemOf(json), json.annotation);
        break;
      case "response.output_text.delta":
        this.addText(json, "text-delta");
        break;
      case "response.refusal.delta":
        this.addText(json, "refusal-delta");
        break;
      case "response.reasoning_summary_text.delta":
      case "response.reasoning_text.delta":
        this.addThought(json, type);
        break;
      case "response.function_call_arguments.delta":
      case "response.custom_tool_call_input.delta":
        this.addArguments(this.itemOf(json), readText(json.delta));
        break;
      case "response.output_item.done":
        this.endItem(json.output_index, readObject(json.item));
        break;
      case "response.completed":
        this.complete(readObject(json.response), "completed");
        break;
      case "response.incomplete":
        this.complete(readObject(json.response), "incomplete");
        break;
    }
  }

  private start({ id, model }: Json): void {
    if (this.isStarted) return;
    this.isStarted = true;
    this.events.push({ type: "start", id: readText(id), model: readText(model) });
  }

  private push(event: ChatEvent): void {
    this.hasContent = true;
    this.events.push(event);
  }

  private addItem(position: unknown, item: Json): OpenItem {
    const isFree = item.type === "custom_tool_call";
    const before = this.length;
    this.beforePart = before;
    const open: OpenItem = { call: null, isFree, hasDeltas: false, isOver: false, part: "", before, isCited: false };
    if (typeof item.id === "string") this.items.set(item.id, open);
    this.items.set(position, open);
    if (!CALL_TYPES.has(item.type)) return open;
    const index = this.callCount;
    this.callCount += 1;
    open.call = index;
    const id = readText(item.call_id) || readText(item.id);
    this.push({ type: "tool-call-start", choice, index, id, name: readText(item.name) });
    if (isFree) this.pushArguments(index, INPUT_START);
    const early = isFree ? readText(item.input) : argumentsOf(item);
    if (early !== "") this.addArguments(open, early);
    return open;
  }

  private itemOf({ item_id: id, output_index: position }: Json): OpenItem {
    return this.items.get(id) ?? this.items.get(position) ?? this.addItem(position, { id });
  }

  private addText(json: Json, type: "text-delta" | "refusal-delta"): void {
    const text = readText(json.delta);
    if (text === "") return;
    this.itemOf(json).hasDeltas = true;
    if (type === "refusal-delta") {
      this.push({ type, choice, text });
      return;
    }
    this.length += text.length;
    const { logprobs: given } = json;
    const logprobs = Array.isArray(given) && given.length > 0 ? readLogprobs(given) : undefined;
    if (logprobs) this.push({ type, choice, text, logprobs });
    else this.push({ type, choice, text });
  }

  private cite(item: OpenItem, annotation: unknown): void {
    const citation = decodeAnnotation(annotation, this.length - this.beforePart);
    if (!citation || this.length === 0) return;
    item.isCited = true;
    this.push({ type: "citation", choice, citation: moved(citation, this.beforePart) });
  }

  /** Some upstreams tell the sources only with the whole item. */
  private endMessage(open: OpenItem, item: Json): void {
    if (!open.hasDeltas) this.pushParts(decodeItem(item));
    else if (!open.isCited) this.pushCitations(countThrough(decodeItem(item)), open.before);
  }

  private pushCitations(parts: readonly AssistantPart[], before: number): void {
    for (const part of parts) {
      if (part.type !== "text") continue;
      for (const citation of part.citations ?? [])
        this.push({ type: "citation", choice, citation: moved(citation, before) });
    }
  }

  private endSearch(item: Json): void {
    const search = decodeSearch(item);
    if (!search) return;
    this.searchCount += 1;
    this.push({ type: "search", choice, search });
  }

  private addThought(json: Json, type: string): void {
    const text = readText(json.delta);
    if (text === "") return;
    const item = this.itemOf(json);
    const at = json.summary_index ?? json.content_index;
    const part = `${type} ${typeof at === "number" ? at : 0}`;
    const gap = item.hasDeltas && item.part !== part ? THOUGHT_BREAK : "";
    item.hasDeltas = true;
    item.part = part;
    this.push({ type: "thinking-delta", choice, text: gap + text });
  }

  private addArguments(item: OpenItem, text: string): void {
    if (item.call === null || item.isOver || text === "") return;
    item.hasDeltas = true;
    this.pushArguments(item.call, item.isFree ? inputPiece(text) : text);
  }

  private pushArguments(index: number, text: string): void {
    this.push({ type: "tool-call-delta", choice, index, arguments: text });
  }

  private endItem(position: unknown, item: Json): void {
    const open = this.items.get(item.id) ?? this.items.get(position) ?? this.addItem(position, item);
    if (open.isOver) return;
    if (open.call !== null) this.endCall(open, item);
    else if (typeOf(item) === "reasoning") this.endThought(open, item);
    else if (item.type === "web_search_call") this.endSearch(item);
    else this.endMessage(open, item);
    open.isOver = true;
  }

  private endCall(open: OpenItem, item: Json): void {
    if (!open.hasDeltas) this.addArguments(open, open.isFree ? readText(item.input) : argumentsOf(item));
    if (open.isFree && open.call !== null) this.pushArguments(open.call, INPUT_END);
  }

  private endThought(open: OpenItem, item: Json): void {
    this.hasThought = true;
    const text = open.hasDeltas ? "" : joinThoughts(item);
    if (text !== "") this.push({ type: "thinking-delta", choice, text });
    const seal = readText(item.encrypted_content);
    if (seal === "") return;
    if (open.hasDeltas || hasSummary(item)) this.push({ type: "thinking-signature", choice, signature: seal });
    else this.push({ type: "redacted-thinking", choice, data: seal });
  }

  private pushParts(parts: readonly AssistantPart[]): void {
    for (const part of parts) {
      if (part.type === "text") {
        const { text, logprobs } = part;
        this.push({ type: "text-delta", choice, text, ...(logprobs ? { logprobs } : {}) });
        this.pushCitations([part], this.length);
        this.length += text.length;
      } else if (part.type === "refusal") this.push({ type: "refusal-delta", choice, text: part.text });
    }
  }

  /** Some upstreams send nothing before the whole response. */
  private complete(response: Json, status: string): void {
    this.start(response);
    if (!this.hasContent) {
      for (const [i, item] of readArray(response.output).entries()) this.endItem(i, readObject(item));
    }
    const reason = finishReasonOf(response, status, this.callCount > 0);
    // A response with nothing in it is no answer, unless its limit or a filter explains that.
    const isEmpty = !this.hasContent && !this.hasThought && reason.unified === "stop";
    if (!isEmpty) this.events.push({ type: "finish", choice, reason });
    const usage = withSearches(this.readUsage(response.usage), this.searchCount);
    if (usage) this.events.push({ type: "usage", usage });
    this.events.push({ type: "end" });
  }
}
