import type { FinishReason } from "../../canonical/event";
import { type Json, readArray, readObject, readText } from "../../canonical/json";
import { parseJsonObject } from "../common/json-text";
import { isFilled } from "../common/reported-error";
import type { FrameReader, PassThrough, PassThroughOptions } from "../dialect";
import { cutShort } from "./cut-short";
import { hasFailed } from "./error";
import { readFinishReason } from "./finish-reason";

/** OpenAI's own reasons of an answer with calls. */
const WORDS: ReadonlySet<string> = new Set(["tool_calls", "function_call", "length", "content_filter"]);
const DONE_FRAME = "data: [DONE]\n\n";

/** How to scan responses that are passed through unchanged. */
export const passThrough: PassThrough = {
  // A name is that of a call, which the reader must know of before the finish reason.
  notableText: /\[DONE\]|"error"|"usage" *: *\{|"finish_reason" *: *"[^"]|"name" *: *"[^"]/,
  frameKey: '"choices"',
  frameReader,
  answerKey: '"choices"',
  hasAnswer: ({ choices }) => readArray(choices).some((choice) => isFilled(choice)),
  hasFailed: (json) => hasFailed(json, null),
  usageKey: '"usage"',
  finishReasonKey: '"finish_reason"',
  readFinishReason,
  byCalls: {
    words: WORDS,
    mark: /"(?:tool_calls" *: *\[|function_call" *: *\{)/,
    mend: ({ choices }) =>
      readArray(choices)
        .map((choice) => mendChoice(readObject(choice), callWord(choice)))
        .includes(true),
  },
  terminal: () => DONE_FRAME,
  // The first matches both content and reasoning_content.
  textKeys: ['content"', 'arguments"', 'reasoning"', 'refusal"'],
  callKey: '"name"',
  cutShort,
};

function frameReader({ withholdUsage, readUsage }: PassThroughOptions): FrameReader {
  let usage: Json | null = null;
  let finishReason: FinishReason | null = null;
  let mended: string | null = null;
  const calling: Calling = new Map();
  return {
    read({ event, data }) {
      mended = null;
      const text = data.trim();
      if (text === "[DONE]") return "end";
      if (text === "") return "empty";
      const frame = parseJsonObject(text);
      if (!frame) return event === "error" ? "error" : "bad";
      if (hasFailed(frame, event)) return "error";
      const choices = readArray(frame.choices).map(readObject);
      if (mendChoices(choices, calling)) mended = JSON.stringify(frame);
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
    mended: () => mended,
  };
}

/** The word by which the choices with calls end. */
type Calling = Map<unknown, string>;

/** Notes the calls of an event, and puts the finish reasons right that deny them. */
function mendChoices(choices: readonly Json[], calling: Calling): boolean {
  let isMended = false;
  for (const choice of choices) {
    const word = callWord(choice);
    if (word !== null) calling.set(choice.index, word);
    if (mendChoice(choice, calling.get(choice.index) ?? null)) isMended = true;
  }
  return isMended;
}

/** `word`: by which a choice with calls ends; null = it has none. */
function mendChoice(choice: Json, word: string | null): boolean {
  const raw = readText(choice.finish_reason);
  if (raw === "" || word === null || WORDS.has(raw)) return false;
  const { unified } = readFinishReason(raw);
  if (unified === "length" || unified === "content-filter") return false;
  choice.finish_reason = word;
  return true;
}

/** `function_call` is the older form, with one call at most. */
function callWord(choice: unknown): string | null {
  const { delta, message } = readObject(choice);
  const { tool_calls: calls, function_call: call } = readObject(delta ?? message);
  if (readArray(calls).some((item) => isFilled(item))) return "tool_calls";
  return isFilled(call) ? "function_call" : null;
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
