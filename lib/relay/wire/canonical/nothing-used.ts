import { readArray, readObject } from "./json";
import type { Usage } from "./usage";

/** Usage of an upstream that reports zeros. It is believed only when the answer is empty, too. */
export const NOTHING_USED: Usage = {
  promptTokens: 0,
  completionTokens: 0,
  cachedTokens: 0,
  cacheWriteTokens: 0,
  reasoningTokens: 0,
  audioPromptTokens: 0,
  audioCompletionTokens: 0,
};

/** Names of token counts, and of objects that hold some, in all formats. */
const COUNT = /token|count|units/i;

/** The reader with NOTHING_USED for an object whose counts are all 0. An object without any count stays null: unknown. */
export function orNothing(readUsage: (value: unknown) => Usage | null): (value: unknown) => Usage | null {
  return (value) => readUsage(value) ?? (reportsNothing(value) ? NOTHING_USED : null);
}

/** Whether it has counts of tokens, in any format, and all of them are 0. */
export function reportsNothing(value: unknown): boolean {
  if (typeof value !== "object" || value === null) return false;
  return sumOfCounts(value) === 0;
}

/** Null = there are none. */
function sumOfCounts(value: object): number | null {
  let sum: number | null = null;
  for (const [name, given] of Object.entries(readObject(value))) {
    if (!COUNT.test(name)) continue;
    const inner = typeof given === "number" ? given : sumWithin(given);
    if (inner !== null) sum = (sum ?? 0) + Math.abs(inner);
  }
  return sum;
}

function sumWithin(given: unknown): number | null {
  const parts = Array.isArray(given) ? readArray(given) : [given];
  let sum: number | null = null;
  for (const part of parts) {
    const inner = sumOfCounts(readObject(part));
    if (inner !== null) sum = (sum ?? 0) + inner;
  }
  return sum;
}

/** Calls, pictures, sound, files and sealed thoughts, by the names that they have in an answer of any format. */
const HELD = new RegExp(
  `"(${[
    ...["tool_calls", "function_call", "functionCall", "refusal", "images?", "image_url", "b64_json", "inline_?data"],
    ...["file_?data", "audio", "encrypted_content", "partial_image_b64", "result", "data"],
  ].join("|")})" *: *(\\[ *[{"]|\\{|"[^"])`,
  "i",
);

/** Whether JSON of an answer may hold anything but text. */
export function mayHoldMore(answer: string): boolean {
  return HELD.test(answer);
}
