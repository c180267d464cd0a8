import { type Json, readArray, readObject } from "../../canonical/json";
import { completionWithThoughts, readCount, toMediaCounts, type Usage } from "../../canonical/usage";
import { defined } from "../common/defined";

/**
 * Reads Google's usageMetadata. Its candidates' count excludes thoughts, and its prompt count what tools brought in;
 * canonical counts include both. Null when it has no counts: usage is then unknown, not zero.
 */
export function readUsage(value: unknown): Usage | null {
  const usage = readObject(value);
  const count = (name: string): number => readCount(usage[name]) ?? 0;
  const reasoningTokens = count("thoughtsTokenCount");
  const promptTokens = count("promptTokenCount") + count("toolUsePromptTokenCount");
  const counted = count("candidatesTokenCount") + reasoningTokens;
  // Some answers count their thoughts only in the total.
  const written = promptTokens === 0 ? null : count("totalTokenCount") - promptTokens;
  const completionTokens = completionWithThoughts(counted, reasoningTokens, written);
  if (promptTokens + completionTokens === 0) return null;
  // Vertex has at times sent the list without the sum.
  const cached = count("cachedContentTokenCount") || sumOf(usage.cacheTokensDetails);
  const cachedTokens = Math.min(cached, promptTokens);
  // Cached sound is in both lists. A video costs as much as pictures: https://ai.google.dev/gemini-api/docs/pricing.
  const ofCached = (modality: string): number => sumOf(usage.cacheTokensDetails, modality);
  const cachedSound = ofCached("AUDIO");
  const ofPrompt = (modality: string): number =>
    sumOf(usage.promptTokensDetails, modality) + sumOf(usage.toolUsePromptTokensDetails, modality);
  const sound = ofPrompt("AUDIO") - cachedSound;
  return {
    promptTokens,
    completionTokens,
    cachedTokens,
    cacheWriteTokens: 0,
    reasoningTokens,
    audioPromptTokens: Math.max(0, Math.min(sound, promptTokens - cachedTokens)),
    audioCompletionTokens: Math.min(sumOf(usage.candidatesTokensDetails, "AUDIO"), completionTokens - reasoningTokens),
    ...toMediaCounts(ofPrompt("IMAGE") + ofPrompt("VIDEO"), cachedSound, ofCached("IMAGE") + ofCached("VIDEO")),
  };
}

/** Of all kinds, or of one. */
function sumOf(details: unknown, kind?: string): number {
  let sum = 0;
  for (const detail of readArray(details)) {
    const { modality, tokenCount } = readObject(detail);
    if (kind === undefined || modality === kind) sum += readCount(tokenCount) ?? 0;
  }
  return sum;
}

/** The usage does not count them. */
export function withSearches(usage: Usage | null, webSearches: number): Usage | null {
  return usage && webSearches > 0 ? { ...usage, webSearches } : usage;
}

export function renderUsage(usage: Usage): Json {
  const { promptTokens, completionTokens, cachedTokens, reasoningTokens } = usage;
  const candidates = completionTokens - reasoningTokens;
  return defined({
    promptTokenCount: promptTokens,
    cachedContentTokenCount: cachedTokens > 0 ? cachedTokens : undefined,
    candidatesTokenCount: candidates,
    thoughtsTokenCount: reasoningTokens > 0 ? reasoningTokens : undefined,
    totalTokenCount: promptTokens + completionTokens,
    promptTokensDetails: renderDetails(promptTokens, usage.audioPromptTokens),
    candidatesTokensDetails: renderDetails(candidates, usage.audioCompletionTokens),
  });
}

/** By kind, where there is sound. */
function renderDetails(all: number, sound: number): Json[] | undefined {
  if (sound === 0) return undefined;
  return [
    { modality: "TEXT", tokenCount: all - sound },
    { modality: "AUDIO", tokenCount: sound },
  ];
}
