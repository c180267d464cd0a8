import type { FinishReason } from "../../canonical/finish-reason";
import { type Json, readArray, readObject } from "../../canonical/json";
import type { LineReader, PassThrough, PassThroughOptions } from "../dialect";
import { parseJsonObject } from "../json-text";
import { cutShort } from "./cut-short";
import { readFinishReason } from "./finish-reason";

const USAGE_KEY = '"usage"';
const USAGE_OBJECT = /"usage" *: *\{/;
const FINISH_REASON = /"finish_reason" *: *"([^"\\]+)"/g;
const DATA = "data:";
const DONE_FRAME = "data: [DONE]\n\n";

/** How to scan responses that are passed through unchanged. */
export const passThrough: PassThrough = {
  notableLines: /\[DONE\]|"usage" *: *\{|"finish_reason" *: *"[^"]/,
  lineReader,
  leadingError: /^\s*data:\s*\{\s*"error"\s*:\s*[{"]/,
  errorBody: /^\s*\{\s*"error"\s*:\s*[{"]/,
  usageKey: USAGE_KEY,
  finishReasonKey: '"finish_reason"',
  readFinishReason,
  terminal: () => DONE_FRAME,
  // The first matches both content and reasoning_content.
  textKeys: ['content"', 'arguments"', 'reasoning"', 'refusal"'],
  cutShort,
};

function lineReader({ withholdUsage, readUsage }: PassThroughOptions): LineReader {
  let usage: Json | null = null;
  let finishReason: FinishReason | null = null;
  return {
    read(line) {
      if (isDone(line)) return "end";
      for (const [, raw = ""] of line.matchAll(FINISH_REASON)) finishReason = readFinishReason(raw);
      const frame = USAGE_OBJECT.test(line) && line.startsWith(DATA) ? parseJsonObject(line.slice(DATA.length)) : null;
      const reported = frame && usageOf(frame);
      if (!frame || !reported) return "pass";
      usage = reported;
      return withholdUsage && isUsageOnly(frame) ? "withhold" : "pass";
    },
    usage: () => (usage ? readUsage(usage) : null),
    finishReason: () => finishReason,
  };
}

function isDone(line: string): boolean {
  return line.startsWith(DATA) && line.slice(DATA.length).trim() === "[DONE]";
}

/** A frame without choices. A frame that also ends a choice must reach the client. */
function isUsageOnly({ choices }: Json): boolean {
  return !Array.isArray(choices) || choices.length === 0;
}

/** The frame's own usage or, as Moonshot writes it, that of its choice. Deeper objects of that name mean something else. */
function usageOf(frame: Json): Json | null {
  const own = frame.usage ?? readArray(frame.choices).map((choice) => readObject(choice).usage)[0];
  const usage = readObject(own);
  return usage === own ? usage : null;
}
