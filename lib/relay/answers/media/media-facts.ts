import type { Json } from "../../wire/canonical/json";
import { sumOfMedia, type Usage } from "../../wire/canonical/usage";

/** What an answer tells of itself beside its pictures, its sound and its text. */
export type MediaFacts = {
  usage: Usage | null;
  /** Delivered so far. */
  pictures: number;
  size: string | null;
  quality: string | null;
  /** Of the sound that was read; null = the upstream does not say. */
  seconds: number | null;
  /** When the last subtitle ends; null = there are none. */
  lastCue: number | null;
  /** Of the answer so far. */
  bytes: number;
};

export function noFacts(): MediaFacts {
  return { usage: null, pictures: 0, size: null, quality: null, seconds: null, lastCue: null, bytes: 0 };
}

/** Adds what one document or event says; long texts in it may be cut. */
export type ReadFacts = (json: Json, into: MediaFacts) => void;

export function addUsage(into: MediaFacts, usage: Usage | null): void {
  const { usage: before } = into;
  if (!usage || !before) {
    into.usage = usage ?? before;
    return;
  }
  into.usage = {
    promptTokens: before.promptTokens + usage.promptTokens,
    completionTokens: before.completionTokens + usage.completionTokens,
    cachedTokens: before.cachedTokens + usage.cachedTokens,
    cacheWriteTokens: 0,
    reasoningTokens: 0,
    audioPromptTokens: before.audioPromptTokens + usage.audioPromptTokens,
    audioCompletionTokens: before.audioCompletionTokens + usage.audioCompletionTokens,
    ...sumOfMedia(before, usage),
  };
}
