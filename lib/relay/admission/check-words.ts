import type { OptionValues } from "@/lib/option/registry";
import { RelayError } from "../base/relay-error";
import { Form, type ReceivedBody } from "../http/forms/form";
import type { Call, Intake } from "../operations/operation";
import { createWordFinder, createWordReplacer, type WordFinder } from "./word-finder";

const REPLACEMENT = "***";

type Prepared = { words: readonly string[]; text: string; finder: WordFinder | null };

/** Two snapshots may have lists that differ as objects and hold the same words. */
let prepared: Prepared = { words: [], text: "", finder: null };

/** Null = nothing is checked. */
export function finderOf(options: OptionValues): WordFinder | null {
  if (!options.CheckSensitiveEnabled || !options.CheckSensitiveOnPromptEnabled) return null;
  const { SensitiveWords: words } = options;
  if (prepared.words === words) return prepared.finder;
  const text = words.join("\n");
  prepared = { words, text, finder: text === prepared.text ? prepared.finder : createWordFinder(words) };
  return prepared.finder;
}

/** Throws 400 when a prompt contains a word of the operator's list and both switches are on. */
export function checkWords(intake: Intake, options: OptionValues): void {
  const finder = finderOf(options);
  if (!finder) return;
  for (const text of intake.words()) {
    if (!finder(text)) continue;
    throw new RelayError("sensitive_words_detected", "the prompt contains words that are not allowed here");
  }
}

/**
 * The request as it is read, and where words of the operator's list are to be replaced instead of refused, without them.
 * What cannot be replaced is left to `checkWords`.
 */
export function readWithoutWords(call: Call, body: ReceivedBody, options: OptionValues): Intake | Promise<Intake> {
  if (body instanceof Form) return readFormWithoutWords(call, body, options);
  const intake = call.operation.read(body, call);
  const finder = options.StopOnSensitiveEnabled ? null : finderOf(options);
  const found = finder ? new Set([...intake.words()].filter(finder)) : null;
  if (!found || found.size === 0) return intake;
  const replaced = replaceTexts(body, found, options.SensitiveWords);
  return replaced ? call.operation.read(replaced, call) : intake;
}

async function readFormWithoutWords(call: Call, form: Form, options: OptionValues): Promise<Intake> {
  const { readForm } = call.operation;
  if (!readForm) throw new Error("the operation takes no forms");
  const intake = await readForm(form, call);
  const finder = options.StopOnSensitiveEnabled ? null : finderOf(options);
  const found = finder ? new Set([...intake.words()].filter(finder)) : null;
  if (!found || found.size === 0) return intake;
  const replace = replacerOf(options.SensitiveWords);
  return readForm(
    form.mapTexts((text) => (found.has(text) ? replace(text) : text)),
    call,
  );
}

let replacer: { words: readonly string[]; replace: (text: string) => string } | null = null;

function replacerOf(words: readonly string[]): (text: string) => string {
  if (replacer?.words !== words) replacer = { words, replace: createWordReplacer(words, REPLACEMENT) };
  return replacer.replace;
}

/** The body with the words replaced in these texts of it; null = it is no JSON object. */
export function replaceTexts(body: Buffer, texts: ReadonlySet<string>, words: readonly string[]): Buffer | null {
  const json = parse(body);
  if (!json) return null;
  const replace = replacerOf(words);
  const change = (value: unknown): unknown => {
    if (typeof value === "string") return texts.has(value) ? replace(value) : value;
    if (Array.isArray(value)) return value.map(change);
    if (typeof value !== "object" || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, change(inner)]));
  };
  // The model is no text, whatever its name is.
  const { model } = json;
  return Buffer.from(JSON.stringify({ ...(change(json) as object), ...(model === undefined ? {} : { model }) }));
}

function parse(body: Buffer): Record<string, unknown> | null {
  try {
    const json: unknown = JSON.parse(body.toString("utf8"));
    return typeof json === "object" && json !== null && !Array.isArray(json) ? (json as Record<string, unknown>) : null;
  } catch {
    return null;
  }
}
