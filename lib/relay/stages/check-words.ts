import type { OptionValues } from "@/lib/option/registry";
import type { Intake } from "../operations/operation";
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

/** Throws 400 when a prompt contains a word of the operator's list and both switches are on. */
export function checkWords(intake: Intake, options: OptionValues): void {
  if (!options.CheckSensitiveEnabled || !options.CheckSensitiveOnPromptEnabled) return;
  const pattern = patternOf(options.SensitiveWords);
  if (!pattern) return;
  for (const text of intake.words()) {
    if (!pattern.test(text)) continue;
    throw new RelayError(400, "the prompt contains words that are not allowed here", {
      code: "sensitive_words_detected",
    });
  }
}
