import type { OptionValues } from "@/lib/option/registry";
import type { Intake } from "../operations/operation";
import { RelayError } from "../relay-error";
import { createWordFinder, type WordFinder } from "./word-finder";

type Prepared = { words: readonly string[]; text: string; finder: WordFinder | null };

/** Two snapshots may have lists that differ as objects and hold the same words. */
let prepared: Prepared = { words: [], text: "", finder: null };

function finderOf(words: readonly string[]): WordFinder | null {
  if (prepared.words === words) return prepared.finder;
  const text = words.join("\n");
  prepared = { words, text, finder: text === prepared.text ? prepared.finder : createWordFinder(words) };
  return prepared.finder;
}

/** Throws 400 when a prompt contains a word of the operator's list and both switches are on. */
export function checkWords(intake: Intake, options: OptionValues): void {
  if (!options.CheckSensitiveEnabled || !options.CheckSensitiveOnPromptEnabled) return;
  const finder = finderOf(options.SensitiveWords);
  if (!finder) return;
  for (const text of intake.words()) {
    if (!finder(text)) continue;
    throw new RelayError(400, "the prompt contains words that are not allowed here", {
      code: "sensitive_words_detected",
    });
  }
}
