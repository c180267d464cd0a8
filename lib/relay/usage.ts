import type { BilledUsage } from "@/lib/billing/price";

/** Beyond this a count is nonsense, not usage. */
const countMax = 1_000_000_000;

function readCount(value: unknown): number | null {
  return typeof value === "number" && value >= 0 && value <= countMax ? Math.floor(value) : null;
}

function readObject(value: unknown): Record<string, unknown> {
  return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {};
}

/**
 * The usage object of an OpenAI-format answer. Its prompt count includes cached and audio tokens, its completion count
 * audio tokens. Null when it says nothing usable: then usage is unknown, not zero.
 */
export function readUsage(value: unknown, completionFromTotal = false): BilledUsage | null {
  const usage = readObject(value);
  const promptTokens = readCount(usage.prompt_tokens) ?? 0;
  const total = readCount(usage.total_tokens);
  const reported = readCount(usage.completion_tokens) ?? 0;
  const completionTokens = completionFromTotal && total !== null ? Math.max(0, total - promptTokens) : reported;
  if (promptTokens + completionTokens === 0) return null;
  const promptDetails = readObject(usage.prompt_tokens_details);
  const completionDetails = readObject(usage.completion_tokens_details);
  const cached = readCount(promptDetails.cached_tokens) ?? readCount(usage.prompt_cache_hit_tokens) ?? 0;
  const cachedTokens = Math.min(cached, promptTokens);
  const audio = readCount(promptDetails.audio_tokens) ?? 0;
  return {
    promptTokens,
    completionTokens,
    cachedTokens,
    cacheWriteTokens: 0,
    audioPromptTokens: Math.min(audio, promptTokens - cachedTokens),
    audioCompletionTokens: Math.min(readCount(completionDetails.audio_tokens) ?? 0, completionTokens),
    estimated: false,
  };
}

/** Usage counted by us. */
export function estimatedUsage(promptTokens: number, completionTokens: number): BilledUsage {
  return {
    promptTokens,
    completionTokens,
    cachedTokens: 0,
    cacheWriteTokens: 0,
    audioPromptTokens: 0,
    audioCompletionTokens: 0,
    estimated: true,
  };
}

/** Tokens of a text by its length, on the high side: three ASCII characters or one other character make a token. */
export function estimateTokens(asciiBytes: number, otherBytes: number): number {
  return Math.ceil(asciiBytes / 3) + Math.ceil(otherBytes / 3);
}

/** What pictures, sounds and files in a prompt are taken to cost. */
const IMAGE_TOKENS = 1_500;
const AUDIO_TOKENS = 100;
const FILE_TOKENS = 5_000;

type Attachment = { tokens: number; encodedBytes: number };

function readAttachment(part: unknown): Attachment | null {
  const { type, image_url: image, input_audio: audio, file } = readObject(part);
  if (type === "image_url") {
    const url = typeof image === "string" ? image : readObject(image).url;
    const isInline = typeof url === "string" && url.startsWith("data:");
    return { tokens: IMAGE_TOKENS, encodedBytes: isInline ? url.length : 0 };
  }
  if (type === "input_audio") return { tokens: AUDIO_TOKENS, encodedBytes: textLength(readObject(audio).data) };
  if (type === "file") return { tokens: FILE_TOKENS, encodedBytes: textLength(readObject(file).file_data) };
  return null;
}

function textLength(value: unknown): number {
  return typeof value === "string" ? value.length : 0;
}

function sumAttachments(messages: readonly unknown[]): Attachment {
  const sum = { tokens: 0, encodedBytes: 0 };
  for (const message of messages) {
    const { content } = readObject(message);
    if (!Array.isArray(content)) continue;
    for (const part of content) {
      const attachment = readAttachment(part);
      sum.tokens += attachment?.tokens ?? 0;
      sum.encodedBytes += attachment?.encodedBytes ?? 0;
    }
  }
  return sum;
}

/** Prompt tokens at most, cheaply: two bytes of the body make a token. For reservations. */
export function promptTokensUpperBound(bodyBytes: number, messages: readonly unknown[]): number {
  const { tokens, encodedBytes } = sumAttachments(messages);
  return Math.ceil(Math.max(0, bodyBytes - encodedBytes) / 2) + tokens;
}

/** Prompt tokens when no upstream counted them: three bytes of the messages and tools make a token, and 3 a message. */
export function estimatePromptTokens(json: Readonly<Record<string, unknown>>, messages: readonly unknown[]): number {
  const { tokens, encodedBytes } = sumAttachments(messages);
  const text = JSON.stringify([messages, json.tools ?? null]);
  return Math.ceil(Math.max(0, Buffer.byteLength(text) - encodedBytes) / 3) + tokens + 3 * messages.length + 3;
}
