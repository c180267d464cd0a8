import type { ChatEvent, FinishReason } from "../../canonical/event";
import { type Json, readArray, readObject, readText } from "../../canonical/json";
import type { Frame, Machine } from "../../canonical/machine";
import { usageWithPrompt } from "../../canonical/usage";
import { inventCallId } from "../common/calls/open-calls";
import { parseJsonObject } from "../common/json-text";
import type { ReadUsage } from "../dialect";
import { argumentsText } from "../openai-chat/decode-response";
import { readProviderError } from "./error";

/** Spark says that an answer is over, not why. */
function finishReasonOf(status: unknown, hasCall: boolean): FinishReason {
  return hasCall
    ? { unified: "tool-calls", raw: "function_call" }
    : { unified: "stop", raw: `status ${String(status)}` };
}

/** The last message of an answer. */
const LAST = 2;

/** Messages of Spark → canonical events. */
export function createStreamDecoder(readUsage: ReadUsage = usageWithPrompt): Machine<Frame, ChatEvent> {
  return new StreamDecoder(readUsage);
}

class StreamDecoder implements Machine<Frame, ChatEvent> {
  private readonly readUsage: ReadUsage;
  private id = "";
  private isStarted = false;
  private isOver = false;
  private calls = 0;

  constructor(readUsage: ReadUsage) {
    this.readUsage = readUsage;
  }

  step({ data }: Frame): ChatEvent[] {
    if (this.isOver) return [];
    const json = parseJsonObject(data);
    if (!json) return [];
    const failure = readProviderError(json);
    if (failure) {
      this.isOver = true;
      return [{ type: "error", error: failure.error }];
    }
    const header = readObject(json.header);
    const payload = readObject(json.payload);
    const choices = readObject(payload.choices);
    const events: ChatEvent[] = [];
    if (!this.isStarted) this.start(readText(header.sid), events);
    for (const text of readArray(choices.text)) this.readPart(readObject(text), events);
    const usage = this.readUsage(readObject(payload.usage).text);
    if (usage) events.push({ type: "usage", usage });
    if (choices.status === LAST || header.status === LAST) {
      this.isOver = true;
      events.push({ type: "finish", choice: 0, reason: finishReasonOf(LAST, this.calls > 0) }, { type: "end" });
    }
    return events;
  }

  end(): ChatEvent[] {
    return [];
  }

  private start(id: string, events: ChatEvent[]): void {
    this.isStarted = true;
    this.id = id;
    events.push({ type: "start", id, model: "" });
  }

  private readPart(part: Json, events: ChatEvent[]): void {
    const thought = readText(part.reasoning_content);
    const text = readText(part.content);
    if (thought !== "") events.push({ type: "thinking-delta", choice: 0, text: thought });
    if (text !== "") events.push({ type: "text-delta", choice: 0, text });
    this.readCall(readObject(part.function_call), events);
  }

  private readCall({ name, arguments: values }: Json, events: ChatEvent[]): void {
    if (readText(name) !== "") {
      const id = inventCallId(this.id, 0, this.calls);
      events.push({ type: "tool-call-start", choice: 0, index: this.calls, id, name: readText(name) });
      this.calls += 1;
    }
    const text = argumentsText(values);
    if (text !== "" && this.calls > 0) {
      events.push({ type: "tool-call-delta", choice: 0, index: this.calls - 1, arguments: text });
    }
  }
}
