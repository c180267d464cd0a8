import type { ChatEvent } from "../../canonical/event";
import { type Json, readObject, readText } from "../../canonical/json";
import type { Frame, Machine } from "../../canonical/machine";
import { parseJsonObject } from "../common/json-text";
import type { ReadUsage } from "../dialect";
import { hasFailed, readError } from "./error";
import { readFinishReason } from "./finish-reason";
import { toCanonicalSignature } from "./signature";
import { readUsage as readOwnUsage } from "./usage";

/** `index`: position among the tool calls. `hasArguments`: some arguments have arrived. */
type Call = { index: number; hasArguments: boolean };

const choice = 0;

/** Frames of ConverseStream → canonical events. */
export function createStreamDecoder(readUsage: ReadUsage = readOwnUsage): Machine<Frame, ChatEvent> {
  return new StreamDecoder(readUsage);
}

class StreamDecoder implements Machine<Frame, ChatEvent> {
  private readonly readUsage: ReadUsage;
  /** By block index. */
  private readonly calls = new Map<unknown, Call>();
  private callCount = 0;

  constructor(readUsage: ReadUsage) {
    this.readUsage = readUsage;
  }

  step({ event, data }: Frame): ChatEvent[] {
    const json = parseJsonObject(data);
    if (!json) return [];
    if (hasFailed(json, event)) return [{ type: "error", error: readError(json) }];
    switch (event) {
      case "messageStart":
        return [{ type: "start", id: "", model: "" }];
      case "contentBlockStart":
        return this.startCall(json.contentBlockIndex, readObject(json.start).toolUse);
      case "contentBlockDelta":
        return this.readDelta(json.contentBlockIndex, readObject(json.delta));
      case "contentBlockStop":
        return this.endCall(json.contentBlockIndex);
      case "messageStop":
        return [{ type: "finish", choice, reason: readFinishReason(readText(json.stopReason)) }];
      // The last event, after the one that says why it stopped.
      case "metadata": {
        const usage = this.readUsage(json.usage);
        return usage ? [{ type: "usage", usage }, { type: "end" }] : [{ type: "end" }];
      }
      default:
        return [];
    }
  }

  end(): ChatEvent[] {
    return [];
  }

  private startCall(at: unknown, toolUse: unknown): ChatEvent[] {
    if (toolUse === undefined) return [];
    const { toolUseId, name } = readObject(toolUse);
    const index = this.callCount;
    this.callCount += 1;
    this.calls.set(at, { index, hasArguments: false });
    return [{ type: "tool-call-start", choice, index, id: readText(toolUseId), name: readText(name) }];
  }

  private readDelta(at: unknown, { text, toolUse, reasoningContent }: Json): ChatEvent[] {
    if (typeof text === "string") return text === "" ? [] : [{ type: "text-delta", choice, text }];
    if (toolUse !== undefined) return this.addArguments(at, readText(readObject(toolUse).input));
    return reasoningContent === undefined ? [] : readThought(readObject(reasoningContent));
  }

  private addArguments(at: unknown, text: string): ChatEvent[] {
    const call = this.calls.get(at);
    if (!call || text === "") return [];
    call.hasArguments = true;
    return [{ type: "tool-call-delta", choice, index: call.index, arguments: text }];
  }

  /** A tool call without arguments gets an empty object. */
  private endCall(at: unknown): ChatEvent[] {
    const call = this.calls.get(at);
    return call && !call.hasArguments ? this.addArguments(at, "{}") : [];
  }
}

function readThought({ text, signature, redactedContent }: Json): ChatEvent[] {
  const events: ChatEvent[] = [];
  if (readText(text) !== "") events.push({ type: "thinking-delta", choice, text: readText(text) });
  if (readText(signature) !== "") {
    events.push({ type: "thinking-signature", choice, signature: toCanonicalSignature(readText(signature)) });
  }
  if (readText(redactedContent) !== "") {
    events.push({ type: "redacted-thinking", choice, data: toCanonicalSignature(readText(redactedContent)) });
  }
  return events;
}
