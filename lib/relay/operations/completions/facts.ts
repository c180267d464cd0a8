import { type Json, readArray, readText } from "../../wire/canonical/json";
import { InvalidRequest } from "../../wire/canonical/wire-error";
import { noAttachments, readLimit, readModel, readStream, TOKENS_MAX } from "../../wire/dialects/common/request-fields";
import type { Conversation, Countable, Edits, RequestFacts } from "../../wire/dialects/dialect";

const CHOICES_MAX = 128;
const PROMPTS_MAX = 2_048;

/** Extracts the fields that decide how a completion is handled. Throws InvalidRequest. */
export function readFacts(json: Json): RequestFacts {
  const model = readModel(json.model);
  const prompts = promptsOf(json.prompt);
  const { wanted, written } = readCounts(json);
  const isStream = readStream(json);
  if (isStream && written > wanted) throw new InvalidRequest("best_of cannot be streamed", "best_of");
  return {
    model,
    isStream,
    completionTokensMax: readCompletionMax(json),
    choices: written * prompts.length,
    attachments: noAttachments(),
    writesAudio: false,
    asksToThink: false,
  };
}

/** Completions of each prompt: those in the answer, and those that are written to choose them from. */
function readCounts(json: Json): { wanted: number; written: number } {
  const wanted = readLimit(json, "n", 1, CHOICES_MAX) ?? 1;
  return { wanted, written: Math.max(wanted, readLimit(json, "best_of", 1, CHOICES_MAX) ?? wanted) };
}

/** The second is that of conversations; upstreams that serve both may heed it here as well. */
const LIMITS = ["max_tokens", "max_completion_tokens"];

/** The larger of the two limits, because it depends on the upstream which of them it heeds. Throws InvalidRequest. */
export function readCompletionMax(json: Json): number | null {
  const max = Math.max(...LIMITS.map((name) => readLimit(json, name, 0, TOKENS_MAX) ?? 0));
  return max > 0 ? max : null;
}

/** Lowers the completion limit per choice to `tokens`, or sets it when the request has none. */
export function capEdits(json: Json, tokens: number): Edits {
  const over = LIMITS.filter((name) => typeof json[name] === "number" && json[name] > tokens);
  if (readCompletionMax(json) !== null) return Object.fromEntries(over.map((name) => [name, tokens]));
  // Nothing is to be written where the prompt is only to be judged.
  return json.echo === true && json.max_tokens === 0 ? {} : { max_tokens: tokens };
}

/** What OpenAI writes where no limit is given. */
const USUAL_TOKENS = 16;

/** The most tokens of completions that are not in the answer. */
export function unseenTokensMax(json: Json): number {
  const { wanted, written } = readCounts(json);
  return (written - wanted) * promptsOf(json.prompt).length * (readCompletionMax(json) ?? USUAL_TOKENS);
}

type Prompt = string | readonly number[];

function isTokens(value: unknown): value is readonly number[] {
  return Array.isArray(value) && value.length > 0 && value.every((token) => Number.isInteger(token) && token >= 0);
}

/** A text, tokens, or a list of such prompts. Throws InvalidRequest. */
export function promptsOf(prompt: unknown): readonly Prompt[] {
  if (typeof prompt === "string" || isTokens(prompt)) return [prompt];
  const list = readArray(prompt);
  const isValid = list.every((item) => typeof item === "string" || isTokens(item));
  if (list.length === 0 || list.length > PROMPTS_MAX || !isValid) {
    throw new InvalidRequest(`prompt must be a text, tokens, or a list of at most ${PROMPTS_MAX} of them`, "prompt");
  }
  return list as readonly Prompt[];
}

export function promptWords(json: Json): Iterable<string> {
  return [...textsOf(json), readText(json.suffix)];
}

export function promptTexts(json: Json): Countable {
  const extra = promptsOf(json.prompt).reduce((sum, one) => sum + (typeof one === "string" ? 0 : one.length), 0);
  return { texts: [...promptWords(json)].filter((text) => text !== ""), extra };
}

function textsOf(json: Json): string[] {
  return promptsOf(json.prompt).filter((prompt) => typeof prompt === "string");
}

export function readConversation(json: Json): Conversation {
  return {
    cacheKey: readText(json.prompt_cache_key),
    user: readText(json.user),
    opening: () => ({ instructions: [], question: textsOf(json).slice(0, 1) }),
  };
}
