import type { OptionValues } from "@/lib/option/registry";
import { RelayError } from "../relay-error";

const patterns = new WeakMap<readonly string[], RegExp | null>();

function patternOf(words: readonly string[]): RegExp | null {
  const known = patterns.get(words);
  if (known !== undefined) return known;
  const escaped = words.map((word) => word.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&"));
  const pattern = escaped.length > 0 ? new RegExp(escaped.join("|"), "iu") : null;
  patterns.set(words, pattern);
  return pattern;
}

function hasWord(message: unknown, pattern: RegExp): boolean {
  const { content } = (message ?? {}) as { content?: unknown };
  if (typeof content === "string") return pattern.test(content);
  if (!Array.isArray(content)) return false;
  return content.some((part: { text?: unknown } | null) => typeof part?.text === "string" && pattern.test(part.text));
}

/** Throws 400 when a prompt has a word of the operator's list in it and both switches are on. */
export function checkWords(messages: readonly unknown[], options: OptionValues): void {
  if (!options.CheckSensitiveEnabled || !options.CheckSensitiveOnPromptEnabled) return;
  const pattern = patternOf(options.SensitiveWords);
  if (!pattern || !messages.some((message) => hasWord(message, pattern))) return;
  throw new RelayError(400, "the prompt contains words that are not allowed here", {
    code: "sensitive_words_detected",
  });
}
