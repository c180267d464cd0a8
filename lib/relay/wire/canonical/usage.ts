import { type Json, readObject } from "./json";

/** Token counts of one request, as the upstream reported them. */
export type Usage = {
  /** Includes cached, cache-write and audio tokens. */
  promptTokens: number;
  /** Includes reasoning and audio tokens. */
  completionTokens: number;
  cachedTokens: number;
  cacheWriteTokens: number;
  reasoningTokens: number;
  audioPromptTokens: number;
  audioCompletionTokens: number;
  /** Of pictures in the prompt that were not cached; absent = none that it told. */
  imagePromptTokens?: number;
  /** Of the cached tokens, those of sound and of pictures; absent = none that it told. */
  cachedAudioTokens?: number;
  cachedImageTokens?: number;
  /** Searches of the web that the upstream charges for; absent = none that it reported. */
  webSearches?: number;
};

/** Larger counts are treated as invalid. */
const COUNT_MAX = 1_000_000_000;

/** A reported count, rounded down; null when it is invalid. */
export function readCount(value: unknown): number | null {
  return typeof value === "number" && value >= 0 && value <= COUNT_MAX ? Math.floor(value) : null;
}

/** What a format reports that counts nothing else. Null when both are 0 or missing: usage is then unknown, not zero. */
export function plainUsage(prompt: unknown, completion: unknown): Usage | null {
  const promptTokens = readCount(prompt) ?? 0;
  const completionTokens = readCount(completion) ?? 0;
  if (promptTokens + completionTokens === 0) return null;
  return {
    promptTokens,
    completionTokens,
    cachedTokens: 0,
    cacheWriteTokens: 0,
    reasoningTokens: 0,
    audioPromptTokens: 0,
    audioCompletionTokens: 0,
  };
}

/** Usage of `prompt_tokens` and `completion_tokens`. Null without both: some answers report no prompt, which always has tokens. */
export function usageWithPrompt(value: unknown): Usage | null {
  const { prompt_tokens: prompt, completion_tokens: completion } = readObject(value);
  const isUsable = (readCount(prompt) ?? 0) > 0 && readCount(completion) !== null;
  return isUsable ? plainUsage(prompt, completion) : null;
}

type MediaCounts = Pick<Usage, "imagePromptTokens" | "cachedAudioTokens" | "cachedImageTokens">;

const NO_MEDIA: MediaCounts = {};

/**
 * Of the details of a prompt as OpenAI writes them: its pictures, and which of its cached tokens were sound or pictures. Alibaba's
 * videos cost as much as pictures: help.aliyun.com/zh/model-studio/user-guide/qwen-omni.
 */
export function mediaCounts(details: Json): MediaCounts {
  const { image_tokens: images, video_tokens: videos, cached_tokens_details: cached } = details;
  if (images === undefined && videos === undefined && cached === undefined) return NO_MEDIA;
  const { audio_tokens: sound, image_tokens: cachedImages, video_tokens: cachedVideos } = readObject(cached);
  const sum = (one: unknown, other: unknown): number => (readCount(one) ?? 0) + (readCount(other) ?? 0);
  return toMediaCounts(sum(images, videos), readCount(sound) ?? 0, sum(cachedImages, cachedVideos));
}

/** `images` includes the cached ones. */
export function toMediaCounts(images: number, cachedAudio: number, cachedImages: number): MediaCounts {
  return {
    ...(images > cachedImages ? { imagePromptTokens: images - cachedImages } : {}),
    ...(cachedAudio > 0 ? { cachedAudioTokens: cachedAudio } : {}),
    ...(cachedImages > 0 ? { cachedImageTokens: cachedImages } : {}),
  };
}

export function sumOfMedia(one: MediaCounts, other: MediaCounts): MediaCounts {
  const sum = (name: keyof MediaCounts): number => (one[name] ?? 0) + (other[name] ?? 0);
  const cachedImages = sum("cachedImageTokens");
  return toMediaCounts(sum("imagePromptTokens") + cachedImages, sum("cachedAudioTokens"), cachedImages);
}

/** Of the details of a prompt as OpenAI writes them: its sound includes that which was cached, and is charged as cached. */
export function uncachedSound(details: Json): number {
  const cached = readCount(readObject(details.cached_tokens_details).audio_tokens) ?? 0;
  return Math.max(0, (readCount(details.audio_tokens) ?? 0) - cached);
}

/**
 * The tokens of a completion with the thoughts that its count leaves out: the total has them, or they are more than the count.
 * `written`: the total without the prompt, null = there is none.
 */
export function completionWithThoughts(completion: number, thoughts: number, written: number | null): number {
  if (written !== null && written > completion && written >= thoughts) return written;
  return thoughts > completion ? completion + thoughts : completion;
}
