import { type Json, readArray, readObject } from "../../canonical/json";
import { readCount, toMediaCounts, type Usage } from "../../canonical/usage";
import { defined } from "../defined";

/**
 * Reads Google's usageMetadata. Its candidates' count excludes thoughts, and its prompt count what tools brought in;
 * canonical counts include both. Null when it has no counts: usage is then unknown, not zero.
 */
export function readUsage(value: unknown): Usage | null {
  const usage = readObject(value);
  const count = (name: string): number => readCount(usage[name]) ?? 0;
  const reasoningTokens = count("thoughtsTokenCount");
  const promptTokens = count("promptTokenCount") + count("toolUsePromptTokenCount");
  const completionTokens = count("candidatesTokenCount") + reasoningTokens;
  if (promptTokens + completionTokens === 0) return null;
  const cachedTokens = Math.min(count("cachedContentTokenCount"), promptTokens);
  // Cached sound is in both lists.
  const cachedSound = tokensOf("AUDIO", usage.cacheTokensDetails);
  const ofPrompt = (modality: string): number =>
    tokensOf(modality, usage.promptTokensDetails) + tokensOf(modality, usage.toolUsePromptTokensDetails);
  const sound = ofPrompt("AUDIO") - cachedSound;
  return {
    promptTokens,
    completionTokens,
    cachedTokens,
    cacheWriteTokens: 0,
    reasoningTokens,
    audioPromptTokens: Math.max(0, Math.min(sound, promptTokens - cachedTokens)),
    audioCompletionTokens: Math.min(
      tokensOf("AUDIO", usage.candidatesTokensDetails),
      completionTokens - reasoningTokens,
    ),
    ...toMediaCounts(ofPrompt("IMAGE"), cachedSound, tokensOf("IMAGE", usage.cacheTokensDetails)),
  };
}

function tokensOf(wanted: string, details: unknown): number {
  return readArray(details)
    .map(readObject)
    .reduce((sum, { modality, tokenCount }) => sum + (modality === wanted ? (readCount(tokenCount) ?? 0) : 0), 0);
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
