import type { ChatEvent } from "../../canonical/event";
import { type Json, readArray, readObject, readText } from "../../canonical/json";
import type { Frame, Machine } from "../../canonical/machine";
import type { WireError } from "../../canonical/wire-error";
import { parseJsonObject } from "../common/json-text";
import type { ReadUsage } from "../dialect";
import { decodeCitation } from "./citations";
import { hasFailed } from "./error";
import { readFinishReason } from "./finish-reason";
import { mergeUsage, readUsage as readOwnUsage } from "./usage";
import { decodeSearch, queryIn, queryOf } from "./web-search";

/** `index`: position among the tool calls. `hasArguments`: some arguments have arrived. */
type Asked = { input: string };
type Call = { index: number; hasArguments: boolean };

const choice = 0;

/** Frames of a messages stream → canonical events. */
export function createStreamDecoder(readUsage: ReadUsage = readOwnUsage): Machine<Frame, ChatEvent> {
  return new StreamDecoder(readUsage);
}

class StreamDecoder implements Machine<Frame, ChatEvent> {
  private readonly readUsage: ReadUsage;
  /** By block index. */
  private readonly calls = new Map<unknown, Call>();
  private callCount = 0;
  /** Searches by block index and by id: the arguments so far. */
  private readonly asked = new Map<unknown, Asked>();
  /** Of all text so far, and of that before the open block. */
  private length = 0;
  private beforeBlock = 0;
  /** Of the open block; their place is known when it is over. */
  private cited: unknown[] = [];
  private usage: Json = {};

  constructor(readUsage: ReadUsage) {
    this.readUsage = readUsage;
  }

  step({ event, data }: Frame): ChatEvent[] {
    const json = parseJsonObject(data);
    if (!json) return [];
    if (hasFailed(json, event)) return [{ type: "error", error: readError(json) }];
    switch (readText(json.type) || event) {
      case "message_start": {
        const { id, model, usage } = readObject(json.message);
        this.usage = readObject(usage);
        return [{ type: "start", id: readText(id), model: readText(model) }];
      }
      case "content_block_start":
        return this.startBlock(json.index, readObject(json.content_block));
      case "content_block_delta":
        return this.readDelta(json.index, readObject(json.delta));
      case "content_block_stop":
        return this.cited.length > 0 ? this.cite() : this.endCall(json.index);
      case "message_delta":
        return this.readEnd(json);
      case "message_stop":
        return [{ type: "end" }];
      default:
        return [];
    }
  }

  end(): ChatEvent[] {
    return [];
  }

  private startBlock(at: unknown, block: Json): ChatEvent[] {
    switch (block.type) {
      case "text":
        this.beforeBlock = this.length;
        this.cited = [...readArray(block.citations)];
        return this.readDelta(at, { ...block, type: "text_delta" });
      case "thinking":
        return this.readDelta(at, { ...block, type: `${block.type}_delta` });
      case "server_tool_use": {
        const asked = { input: queryOf(block.input) === "" ? "" : JSON.stringify(block.input) };
        this.asked.set(at, asked).set(block.id, asked);
        return [];
      }
      case "web_search_tool_result": {
        const query = queryIn(this.asked.get(block.tool_use_id)?.input ?? "");
        return [{ type: "search", choice, search: decodeSearch(block, query) }];
      }
      case "redacted_thinking":
        return [{ type: "redacted-thinking", choice, data: readText(block.data) }];
      case "tool_use": {
        const call = { index: this.callCount, hasArguments: false };
        this.callCount += 1;
        this.calls.set(at, call);
        const { index } = call;
        const start: ChatEvent = {
          type: "tool-call-start",
          choice,
          index,
          id: readText(block.id),
          name: readText(block.name),
        };
        // Usually empty, with the arguments in deltas.
        const isFilled = Object.keys(readObject(block.input)).length > 0;
        return isFilled ? [start, ...this.addArguments(at, JSON.stringify(block.input))] : [start];
      }
      default:
        return [];
    }
  }

  private readDelta(at: unknown, delta: Json): ChatEvent[] {
    switch (delta.type) {
      case "text_delta":
        return this.addText(readText(delta.text));
      case "citations_delta":
        this.cited.push(delta.citation);
        return [];
      case "thinking_delta": {
        const text = readText(delta.thinking);
        const signature = readText(delta.signature);
        const thinking: ChatEvent[] = text === "" ? [] : [{ type: "thinking-delta", choice, text }];
        return signature === "" ? thinking : [...thinking, { type: "thinking-signature", choice, signature }];
      }
      case "signature_delta": {
        const signature = readText(delta.signature);
        return signature === "" ? [] : [{ type: "thinking-signature", choice, signature }];
      }
      case "input_json_delta":
        return this.addArguments(at, readText(delta.partial_json));
      default:
        return [];
    }
  }

  private addText(text: string): ChatEvent[] {
    this.length += text.length;
    return text === "" ? [] : [{ type: "text-delta", choice, text }];
  }

  private cite(): ChatEvent[] {
    const { cited, beforeBlock, length } = this;
    this.cited = [];
    if (length === beforeBlock) return [];
    return cited.map((value) => ({ type: "citation", choice, citation: decodeCitation(value, beforeBlock, length) }));
  }

  private addArguments(at: unknown, text: string): ChatEvent[] {
    const call = this.calls.get(at);
    if (!call) {
      const asked = this.asked.get(at);
      if (asked) asked.input += text;
      return [];
    }
    if (text === "") return [];
    call.hasArguments = true;
    return [{ type: "tool-call-delta", choice, index: call.index, arguments: text }];
  }

  /** A tool call without arguments gets an empty object. */
  private endCall(at: unknown): ChatEvent[] {
    const call = this.calls.get(at);
    return call && !call.hasArguments ? this.addArguments(at, "{}") : [];
  }

  private readEnd(json: Json): ChatEvent[] {
    const events: ChatEvent[] = [];
    const raw = readText(readObject(json.delta).stop_reason);
    if (raw !== "") events.push({ type: "finish", choice, reason: readFinishReason(raw) });
    this.usage = mergeUsage(this.usage, readObject(json.usage));
    const usage = this.readUsage(this.usage);
    if (usage) events.push({ type: "usage", usage });
    return events;
  }
}

function readError(json: Json): WireError {
  const { message, type } = readObject(json.error);
  const text = readText(message) || readText(json.error) || readText(json.message) || "the upstream failed";
  return { message: text, type: readText(type) || "upstream_error", param: null, code: null };
}
