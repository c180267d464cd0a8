import { ResponseCollector } from "../../canonical/collect";
import type { ChatEvent, FinishReason } from "../../canonical/event";
import { type Json, readArray, readObject, readText } from "../../canonical/json";
import type { Frame, Machine } from "../../canonical/machine";
import type { ChatResponse } from "../../canonical/response";
import { plainUsage, readCount, type Usage } from "../../canonical/usage";
import type { WireError } from "../../canonical/wire-error";
import { inventCallId } from "../common/calls/open-calls";
import { parseJsonObject } from "../common/json-text";
import { reportsError } from "../common/reported-error";
import type { ReadUsage } from "../dialect";
import { argumentsText } from "../openai-chat/decode-response";

/**
 * Reads the counts of an answer's end. Null when one of them is missing, as in older versions for a prompt that was
 * cached: usage is then unknown, not zero.
 */
export function readOwnUsage(value: unknown): Usage | null {
  const end = readObject(value);
  const promptTokens = readCount(end.prompt_eval_count);
  const completionTokens = readCount(end.eval_count);
  return promptTokens === null || completionTokens === null ? null : plainUsage(promptTokens, completionTokens);
}

/** Whether a line, or a body that came with a success status, reports a failure. */
export function hasFailed(json: Json, event: string | null): boolean {
  return reportsError(json, event, typeof json.message === "object" || json.done === true);
}

export function readError({ error, message }: Json): WireError {
  const words = [error, readObject(error).message, message].map(readText);
  const found = words.find((text) => text !== "") ?? "the upstream failed";
  return { message: found, type: "upstream_error", param: null, code: null };
}

/** Versions before 0.1.38 give no reason at all. */
function readFinishReason(given: string): FinishReason {
  const raw = given || "stop";
  if (raw === "stop") return { unified: "stop", raw };
  return { unified: raw === "length" ? "length" : "other", raw };
}

/** Lines of a streamed chat → canonical events. */
export function createStreamDecoder(readUsage: ReadUsage = readOwnUsage): Machine<Frame, ChatEvent> {
  return new StreamDecoder(readUsage);
}

/** A whole answer has the form of a stream's last line. Null = not a response. */
export function decodeResponse(json: Json, readUsage: ReadUsage = readOwnUsage): ChatResponse | null {
  if (typeof json.message !== "object" || json.message === null) return null;
  const collector = new ResponseCollector();
  for (const event of new StreamDecoder(readUsage).read(json)) collector.add(event);
  return collector.collected();
}

class StreamDecoder implements Machine<Frame, ChatEvent> {
  private readonly readUsage: ReadUsage;
  /** When the first line was written; it tells the ids of one answer's calls from those of another. */
  private startedAt: string | null = null;
  private calls = 0;

  constructor(readUsage: ReadUsage) {
    this.readUsage = readUsage;
  }

  step({ event, data }: Frame): ChatEvent[] {
    const json = parseJsonObject(data);
    if (!json) return [];
    if (hasFailed(json, event)) return [{ type: "error", error: readError(json) }];
    return this.read(json);
  }

  end(): ChatEvent[] {
    return [];
  }

  read(json: Json): ChatEvent[] {
    const events: ChatEvent[] = [];
    if (this.startedAt === null) {
      this.startedAt = readText(json.created_at);
      events.push({ type: "start", id: "", model: readText(json.model) });
    }
    const message = readObject(json.message);
    const thinking = readText(message.thinking);
    if (thinking !== "") events.push({ type: "thinking-delta", choice: 0, text: thinking });
    const text = readText(message.content);
    if (text !== "") events.push({ type: "text-delta", choice: 0, text });
    for (const call of readArray(message.tool_calls)) this.readCall(readObject(call), events);
    if (json.done === true) this.readEnd(json, events);
    return events;
  }

  /** Calls are written whole. */
  private readCall(call: Json, events: ChatEvent[]): void {
    const index = this.calls;
    this.calls += 1;
    const { name, arguments: given } = readObject(call.function);
    const id = readText(call.id) || inventCallId(this.startedAt ?? "", 0, index);
    events.push({ type: "tool-call-start", choice: 0, index, id, name: readText(name) });
    const text = argumentsText(given);
    if (text !== "") events.push({ type: "tool-call-delta", choice: 0, index, arguments: text });
  }

  private readEnd(json: Json, events: ChatEvent[]): void {
    const reason = readFinishReason(readText(json.done_reason));
    events.push({ type: "finish", choice: 0, reason });
    const usage = this.readUsage(json);
    if (usage) events.push({ type: "usage", usage });
    events.push({ type: "end" });
  }
}
