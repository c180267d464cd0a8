import type { FinishReason } from "../../canonical/event";
import { type Json, readArray, readObject, readText } from "../../canonical/json";
import { parseJsonObject } from "../common/json-text";
import { isFilled } from "../common/reported-error";
import type { FrameReader, PassThrough, PassThroughOptions } from "../dialect";
import { cutShort } from "./cut-short";
import { hasFailed } from "./error";
import { readFinishReason } from "./finish-reason";
import { mergeUsage } from "./usage";

/** Anthropic's own reasons of an answer with calls. */
const WORDS: ReadonlySet<string> = new Set([
  ...["tool_use", "pause_turn", "max_tokens", "model_context_window_exceeded", "refusal"],
]);
const WHOLE_STOP = /^(?:event: *message_stop\r?\n)?data:.*"message_stop".*\r?\n(\r?\n)?$/;
const STOP_FRAME = 'event: message_stop\ndata: {"type":"message_stop"}\n\n';

/** How to scan responses that are passed through unchanged. */
export const passThrough: PassThrough = {
  notableText: /"error"|"usage" *: *\{|"stop_reason" *: *"|message_stop|"tool_use"/,
  frameKey: '"type"',
  frameReader,
  answerKey: '"content"',
  hasAnswer: ({ content, stop_reason: reason }) =>
    readArray(content).some((block) => isFilled(block)) || readText(reason) !== "",
  hasFailed: (json) => hasFailed(json, null),
  usageKey: '"usage"',
  finishReasonKey: '"stop_reason"',
  readFinishReason,
  byCalls: {
    mark: /"tool_use"/,
    words: WORDS,
    mend: (body) => readArray(body.content).some(isCall) && mendReason(body),
  },
  // The upstream's own stop event may be incomplete.
  terminal(held) {
    const stop = WHOLE_STOP.exec(held);
    if (!stop) return STOP_FRAME;
    return stop[1] === undefined ? `${held}\n` : held;
  },
  textKeys: ['text"', 'thinking"', 'partial_json"'],
  bodyTextKeys: ['text"', 'thinking"', 'input"'],
  callKey: '"name"',
  cutShort,
};

function frameReader({ readUsage }: PassThroughOptions): FrameReader {
  let begun: Json = {};
  // Stays null until message_delta: the usage in message_start does not include the response yet.
  let usage: Json | null = null;
  let finishReason: FinishReason | null = null;
  let hasCalls = false;
  let mended: string | null = null;
  return {
    read({ event, data }) {
      mended = null;
      if (event === "message_stop") return "end";
      if (data.trim() === "") return "empty";
      const frame = parseJsonObject(data);
      if (!frame) return event === "error" ? "error" : "bad";
      if (frame.type === "message_stop") return "end";
      if (hasFailed(frame, event)) return "error";
      if (frame.type === "message_start") begun = readObject(readObject(frame.message).usage);
      hasCalls ||= frame.type === "content_block_start" && isCall(frame.content_block);
      if (frame.type === "message_delta") {
        if (hasCalls && mendReason(readObject(frame.delta))) mended = JSON.stringify(frame);
        usage = mergeUsage(usage ?? begun, readObject(frame.usage));
        const raw = readText(readObject(frame.delta).stop_reason);
        if (raw !== "") finishReason = readFinishReason(raw);
      }
      return hasContent(frame) ? "content" : "empty";
    },
    usage: () => (usage ? readUsage(usage) : null),
    finishReason: () => finishReason,
    mended: () => mended,
  };
}

function isCall(block: unknown): boolean {
  return readObject(block).type === "tool_use";
}

/** For an answer with calls whose end denies them: clients would not run the tools. Anthropic's own words of other ends stay. */
function mendReason(end: Json): boolean {
  const raw = readText(end.stop_reason);
  if (raw === "" || WORDS.has(raw)) return false;
  const { unified } = readFinishReason(raw);
  if (unified === "length" || unified === "content-filter") return false;
  end.stop_reason = "tool_use";
  return true;
}

function hasContent({ type, delta, content_block: block }: Json): boolean {
  if (type === "message_delta") return readText(readObject(delta).stop_reason) !== "";
  if (type !== "content_block_start" && type !== "content_block_delta") return false;
  const { type: kind, ...written } = readObject(type === "content_block_start" ? block : delta);
  return kind === "redacted_thinking" || isFilled(written);
}
