import type { FinishReason } from "../../canonical/finish-reason";
import { type Json, readArray, readObject, readText } from "../../canonical/json";
import type { FrameReader, PassThrough, PassThroughOptions } from "../dialect";
import { parseJsonObject } from "../json-text";
import { isFilled } from "../reported-error";
import { cutShort } from "./cut-short";
import { hasFailed } from "./error";
import { readFinishReason } from "./finish-reason";

const DONE_FRAME = "data: [DONE]\n\n";

/** How to scan responses that are passed through unchanged. */
export const passThrough: PassThrough = {
  notableText: /\[DONE\]|"error"|"usage" *: *\{|"finish_reason" *: *"[^"]/,
  frameKey: '"choices"',
  frameReader,
  answerKey: '"choices"',
  hasAnswer: ({ choices }) => readArray(choices).some((choice) => isFilled(choice)),
  hasFailed: (json) => hasFailed(json, null),
  usageKey: '"usage"',
  finishReasonKey: '"finish_reason"',
  readFinishReason,
  terminal: () => DONE_FRAME,
  // The first matches both content and reasoning_content.
  textKeys: ['content"', 'arguments"', 'reasoning"', 'refusal"'],
  callKey: '"name"',
  cutShort,
};

function frameReader({ withholdUsage, readUsage }: PassThroughOptions): FrameReader {
  let usage: Json | null = null;
  let finishReason: FinishReason | null = null;
  return {
    read({ event, data }) {
      const text = data.trim();
      if (text === "[DONE]") return "end";
      if (text === "") return "empty";
      const frame = parseJsonObject(text);
      if (!frame) return event === "error" ? "error" : "bad";
      if (hasFailed(frame, event)) return "error";
      const choices = readArray(frame.choices).map(readObject);
      for (const { finish_reason: raw } of choices) {
        if (readText(raw) !== "") finishReason = readFinishReason(readText(raw));
      }
      const reported = usageOf(frame);
      usage = reported ?? usage;
      // A frame that also has a choice must reach the client.
      if (reported && withholdUsage && choices.length === 0) return "withhold";
      return choices.some(hasContent) ? "content" : "empty";
    },
    usage: () => (usage ? readUsage(usage) : null),
    finishReason: () => finishReason,
  };
}

/** The frame's own usage or, as Moonshot writes it, that of its choice. Deeper objects of that name mean something else. */
function usageOf(frame: Json): Json | null {
  const own = frame.usage ?? readArray(frame.choices).map((choice) => readObject(choice).usage)[0];
  const usage = readObject(own);
  return usage === own ? usage : null;
}

function hasContent({ delta, message, text, finish_reason: reason }: Json): boolean {
  const { role: _, ...written } = readObject(delta);
  return isFilled(written) || isFilled(message) || isFilled(text) || readText(reason) !== "";
}
