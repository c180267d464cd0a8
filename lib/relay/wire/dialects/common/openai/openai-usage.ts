import { type Json, readObject } from "../../../canonical/json";
import { completionWithThoughts, mediaCounts, readCount, type Usage, uncachedSound } from "../../../canonical/usage";
import { USAGE_FORMS, USAGE_HOLDERS, type UsageCount, type UsageHolder } from "./openai-usage-forms";

type Counts = ReadonlyMap<string, UsageCount>;

const countsIn = (holder: UsageHolder): Counts =>
  new Map(USAGE_FORMS.filter(({ holders }) => holders.includes(holder)).map(({ name, count }) => [name, count]));

/** By the names in a usage object: a count, or the counts of the object that is there. */
const KNOWN: ReadonlyMap<string, UsageCount | Counts> = new Map<string, UsageCount | Counts>([
  ...countsIn("usage"),
  ...(["prompt", "completion", "tools"] as const).flatMap((holder) =>
    USAGE_HOLDERS[holder].map((name) => [name, countsIn(holder)] as const),
  ),
]);

/** Names in the details of a prompt that OpenAI does not have. */
const FOREIGN: ReadonlySet<string> = new Set(
  [...countsIn("prompt").keys()].filter((name) => !/^(cached|cache_write|audio)_tokens$/.test(name)),
);

/**
 * Reads the usage object of an OpenAI-shaped answer, by the table of forms. Canonical prompt tokens include what was read
 * from a cache and written to it, and completion tokens the thoughts, wherever the upstream counts them. Null when it has
 * no counts: usage is then unknown, not zero.
 */
export function readOpenaiUsage(value: unknown): Usage | null {
  if (value === undefined || value === null) return null;
  const usage = readObject(value);
  return readOrdinary(usage) ?? readByForms(usage);
}

/** The usual object, read without the table: only OpenAI's own names, and counts that add up. Null = it is another one. */
function readOrdinary(usage: Json): Usage | null {
  const isChat = usage.prompt_tokens !== undefined;
  const promptTokens = readCount(isChat ? usage.prompt_tokens : usage.input_tokens) ?? 0;
  const completionTokens = readCount(isChat ? usage.completion_tokens : usage.output_tokens) ?? 0;
  if (promptTokens === 0 || usage.total_tokens !== promptTokens + completionTokens) return null;
  const input = isChat ? usage.prompt_tokens_details : usage.input_tokens_details;
  const output = isChat ? usage.completion_tokens_details : usage.output_tokens_details;
  if (namesIn(usage) !== 3 + (input === undefined ? 0 : 1) + (output === undefined ? 0 : 1)) return null;
  const prompt = readObject(input);
  const completion = readObject(output);
  const cachedTokens = readCount(prompt.cached_tokens) ?? 0;
  const cacheWriteTokens = readCount(prompt.cache_write_tokens) ?? 0;
  const audioPromptTokens = readCount(prompt.audio_tokens) ?? 0;
  const reasoningTokens = readCount(completion.reasoning_tokens) ?? 0;
  const audioCompletionTokens = readCount(completion.audio_tokens) ?? 0;
  const isWithin =
    cachedTokens + cacheWriteTokens + audioPromptTokens <= promptTokens &&
    reasoningTokens <= completionTokens &&
    audioCompletionTokens <= completionTokens;
  if (!isWithin || prompt.cached_tokens_details !== undefined) return null;
  if (prompt.image_tokens || prompt.video_tokens) return null;
  for (const name in prompt) if (FOREIGN.has(name)) return null;
  return {
    promptTokens,
    completionTokens,
    cachedTokens,
    cacheWriteTokens,
    reasoningTokens,
    audioPromptTokens,
    audioCompletionTokens,
  };
}

function namesIn(usage: Json): number {
  let names = 0;
  for (const _ in usage) names += 1;
  return names;
}

/** The largest count of each kind; `total` is −1 where there is none. */
type Found = Record<UsageCount, number> & { cachedLeast: number };

function readByForms(usage: Json): Usage | null {
  const found = findCounts(usage);
  if (found.prompt + found.completion === 0) return null;
  addSound(found, usage);
  addCache(found, usage);
  addThoughts(found);
  if (isBilled(usage)) found.prompt += found.cited;
  const details = promptDetails(usage);
  const cachedSound = (readCount(details.audio_tokens) ?? 0) - uncachedSound(details);
  return Object.assign(usageOf(found, found.soundIn - cachedSound), mediaCounts(details));
}

function findCounts(usage: Json): Found {
  const found: Found = {
    prompt: 0,
    completion: 0,
    total: -1,
    cached: 0,
    written: 0,
    thoughts: 0,
    soundIn: 0,
    soundOut: 0,
    cited: 0,
    searches: 0,
    cachedLeast: Number.POSITIVE_INFINITY,
  };
  for (const name in usage) {
    const known = KNOWN.get(name);
    if (known === undefined) continue;
    if (typeof known === "string") take(found, known, usage[name]);
    else takeAll(found, known, readObject(usage[name]));
  }
  return found;
}

function takeAll(found: Found, counts: Counts, given: Json): void {
  for (const name in given) {
    const count = counts.get(name);
    if (count !== undefined) take(found, count, given[name]);
  }
}

function take(found: Found, count: UsageCount, value: unknown): void {
  const tokens = readCount(value);
  if (tokens === null) return;
  if (tokens > found[count]) found[count] = tokens;
  if (count === "cached" && tokens < found.cachedLeast) found.cachedLeast = tokens;
}

/** Mistral counts sound beside the text of a prompt; the total has both. */
function addSound(found: Found, { prompt_audio_seconds: seconds }: Json): void {
  const { total, prompt, completion, soundIn } = found;
  const isBeside = soundIn > prompt || (typeof seconds === "number" && seconds > 0);
  const sound = total === -1 ? soundIn : total - prompt - completion;
  if (!isBeside || sound <= 0) return;
  found.soundIn = sound;
  found.prompt += sound;
}

/**
 * Adds cache counts that the prompt count leaves out. Anthropic's leaves them out, and some gateways pass its counts on as they
 * are. Elsewhere the total shows it, or a part that is larger than the whole.
 */
function addCache(found: Found, usage: Json): void {
  const { prompt, completion, total, cached, written, thoughts } = found;
  const parts = cached + written;
  if (parts === 0) return;
  const rest = total - prompt - completion;
  const isTold = total !== -1 && (rest === parts || (thoughts > 0 && rest === parts + thoughts));
  const isOwn = total === -1 && usage.prompt_tokens === undefined && hasAnthropicNames(usage);
  const isMore = Math.max(cached, written) > prompt || (total === -1 && parts > prompt);
  if (isTold || isOwn || isMore) found.prompt += parts;
  // Some count tokens that were just written as cached, too; then another field has those that were read.
  else if (parts > prompt && found.cachedLeast + written <= prompt) found.cached = found.cachedLeast;
}

function hasAnthropicNames({ cache_read_input_tokens: read, cache_creation_input_tokens: created }: Json): boolean {
  return read !== undefined || created !== undefined;
}

function addThoughts(found: Found): void {
  const { prompt, completion, total, thoughts } = found;
  // Without a prompt count, the total minus 0 would have the prompt's tokens, too.
  found.completion = completionWithThoughts(completion, thoughts, total === -1 || prompt === 0 ? null : total - prompt);
}

/** Perplexity reads what it cites at the price of a prompt, and for some models for nothing, as its costs say. */
function isBilled({ cost }: Json): boolean {
  return typeof cost !== "object" || cost === null || readObject(cost).citation_tokens_cost !== undefined;
}

/** What the prompt is made of, under the first name that has it. */
function promptDetails(usage: Json): Json {
  for (const name of USAGE_HOLDERS.prompt) if (usage[name]) return readObject(usage[name]);
  return {};
}

/** A part is never more than what is left of its whole. */
function usageOf(found: Found, sound: number): Usage {
  const { prompt: promptTokens, completion: completionTokens } = found;
  const cachedTokens = Math.min(found.cached, promptTokens);
  const cacheWriteTokens = Math.min(found.written, promptTokens - cachedTokens);
  const usage: Usage = {
    promptTokens,
    completionTokens,
    cachedTokens,
    cacheWriteTokens,
    reasoningTokens: Math.min(found.thoughts, completionTokens),
    audioPromptTokens: Math.min(Math.max(0, sound), promptTokens - cachedTokens - cacheWriteTokens),
    audioCompletionTokens: Math.min(found.soundOut, completionTokens),
  };
  if (found.searches > 0) usage.webSearches = found.searches;
  return usage;
}
