import { type Json, readArray, readObject } from "../../canonical/json";
import { completionWithThoughts, readCount, type Usage } from "../../canonical/usage";

const COUNTS = ["input_tokens", "output_tokens", "cache_read_input_tokens", "cache_creation_input_tokens"];

/** What wrote the answer, the model that was asked or one that it fell back to, and is in the counts at the top. */
const WROTE = new Set<unknown>([undefined, "message", "fallback_message"]);

/**
 * With what is billed beside the answer: the counts at the top are those of the iterations that wrote it, without those that
 * summed the conversation up or asked another model.
 */
function withIterations(usage: Json): Json {
  const beside = readArray(usage.iterations)
    .map(readObject)
    .filter(({ type }) => !WROTE.has(type));
  if (beside.length === 0) return usage;
  const sumOf = (name: string): number => [usage, ...beside].reduce((sum, one) => sum + (readCount(one[name]) ?? 0), 0);
  return { ...usage, ...Object.fromEntries(COUNTS.map((name) => [name, sumOf(name)])) };
}

/**
 * Reads Anthropic's usage object. Its input count excludes cache reads and cache writes; canonical prompt tokens
 * include both. Null when it has no counts: usage is then unknown, not zero.
 */
export function readUsage(value: unknown): Usage | null {
  const given = readObject(value);
  const usage = given.iterations === undefined ? given : withIterations(given);
  const cachedTokens = readCount(usage.cache_read_input_tokens) ?? 0;
  const cacheWriteTokens = readCount(usage.cache_creation_input_tokens) ?? 0;
  const promptTokens = (readCount(usage.input_tokens) ?? 0) + cachedTokens + cacheWriteTokens;
  const output = readCount(usage.output_tokens) ?? 0;
  if (promptTokens + output === 0) return null;
  const webSearches = readCount(readObject(usage.server_tool_use).web_search_requests) ?? 0;
  const thinkingTokens = readCount(readObject(usage.output_tokens_details).thinking_tokens) ?? 0;
  const completionTokens = completionWithThoughts(output, thinkingTokens, null);
  return {
    promptTokens,
    completionTokens,
    cachedTokens,
    cacheWriteTokens,
    reasoningTokens: Math.min(thinkingTokens, completionTokens),
    audioPromptTokens: 0,
    audioCompletionTokens: 0,
    ...(webSearches > 0 ? { webSearches } : {}),
  };
}

/** Merges the usage from the start and the end of a stream: later counts win unless they are zero or null. */
export function mergeUsage(before: Json, after: Json): Json {
  const said = Object.entries(after).filter(([, value]) => value !== null && value !== 0);
  return { ...after, ...before, ...Object.fromEntries(said) };
}

/** Null counts = unknown usage. */
export function renderUsage(usage: Usage | null): Json {
  if (!usage) return { input_tokens: null, output_tokens: null };
  const { promptTokens, completionTokens, cachedTokens, cacheWriteTokens, reasoningTokens, webSearches = 0 } = usage;
  return {
    input_tokens: promptTokens - cachedTokens - cacheWriteTokens,
    cache_creation_input_tokens: cacheWriteTokens,
    cache_read_input_tokens: cachedTokens,
    output_tokens: completionTokens,
    ...(webSearches > 0 ? { server_tool_use: { web_search_requests: webSearches, web_fetch_requests: 0 } } : {}),
    ...(reasoningTokens > 0 ? { output_tokens_details: { thinking_tokens: reasoningTokens } } : {}),
  };
}
