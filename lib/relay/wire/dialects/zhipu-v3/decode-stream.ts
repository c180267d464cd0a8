import type { ChatEvent } from "../../canonical/event";
import { type Json, readText } from "../../canonical/json";
import type { Frame, Machine } from "../../canonical/machine";
import { usageWithPrompt } from "../../canonical/usage";
import type { WireError } from "../../canonical/wire-error";
import { parseJsonObject } from "../common/json-text";
import type { ReadUsage } from "../dialect";
import { DONE, readFinishReason } from "./decode-response";
import { readProviderError } from "./error";

const FAILED = "FAIL";

/** Events of sse-invoke, with their fields as JSON → canonical events. */
export function createStreamDecoder(readUsage: ReadUsage = usageWithPrompt): Machine<Frame, ChatEvent> {
  return new StreamDecoder(readUsage);
}

class StreamDecoder implements Machine<Frame, ChatEvent> {
  private readonly readUsage: ReadUsage;
  private isStarted = false;
  private isOver = false;

  constructor(readUsage: ReadUsage) {
    this.readUsage = readUsage;
  }

  step({ event, data }: Frame): ChatEvent[] {
    const json = this.isOver ? null : parseJsonObject(data);
    if (!json) return [];
    if (event === "error") return this.fail(readError(json));
    const meta = parseJsonObject(readText(json.meta));
    if (meta?.task_status === FAILED) return this.fail(readError(meta));
    const events: ChatEvent[] = [];
    if (!this.isStarted) {
      this.isStarted = true;
      events.push({ type: "start", id: readText(json.id), model: "" });
    }
    const text = readText(json.data);
    if (text !== "" && event !== "interrupted") events.push({ type: "text-delta", choice: 0, text });
    if (event === "finish" || event === "interrupted" || meta) this.finish(event, meta, events);
    return events;
  }

  end(): ChatEvent[] {
    return [];
  }

  private fail(error: WireError): ChatEvent[] {
    this.isOver = true;
    return [{ type: "error", error }];
  }

  private finish(event: string | null, meta: Json | null, events: ChatEvent[]): void {
    this.isOver = true;
    const usage = this.readUsage(meta?.usage);
    if (usage) events.push({ type: "usage", usage });
    const raw = event === "interrupted" ? event : readText(meta?.task_status) || DONE;
    events.push({ type: "finish", choice: 0, reason: readFinishReason(raw) }, { type: "end" });
  }
}

function readError(json: Json): WireError {
  const message = readText(json.msg) || readText(json.message) || "the upstream failed";
  return readProviderError(json)?.error ?? { message, type: "upstream_error", param: null, code: null };
}
