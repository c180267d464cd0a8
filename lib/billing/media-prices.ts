import type { PriceOptions, PriceRow } from "./types";

/** What a maker takes for a million tokens of each kind, in USD or in its own currency. Absent = as much as for text. */
type MediaPrices = {
  pattern: RegExp;
  text: number;
  audio?: number;
  audioOut?: number;
  audioCached?: number;
  image?: number;
  imageCached?: number;
};

/** Where the makers publish them; read in November 2026. */
const OPENAI = "https://developers.openai.com/api/docs/pricing";
const GOOGLE = "https://ai.google.dev/gemini-api/docs/pricing";
const VERTEX = "https://cloud.google.com/vertex-ai/generative-ai/pricing";
const QWEN = "https://help.aliyun.com/document_detail/2975501.html";

type Row = MediaPrices & { source: string };

/** The first row that fits counts, so that a newer model has the row of its family. A model without one takes sound as text. */
const MEDIA_PRICES: readonly Row[] = [
  { pattern: /^gpt-4o-mini-realtime/, text: 0.6, audio: 10, audioOut: 20, audioCached: 0.3, source: OPENAI },
  {
    pattern: /^gpt-4o-realtime-preview-2024-10-01$/,
    text: 5,
    audio: 100,
    audioOut: 200,
    audioCached: 20,
    source: OPENAI,
  },
  { pattern: /^gpt-4o-realtime/, text: 5, audio: 40, audioOut: 80, audioCached: 2.5, source: OPENAI },
  {
    pattern: /^gpt-realtime.*mini/,
    ...{ text: 0.6, audio: 10, audioOut: 20, audioCached: 0.3, image: 0.8, imageCached: 0.08 },
    source: OPENAI,
  },
  {
    pattern: /^gpt-realtime/,
    ...{ text: 4, audio: 32, audioOut: 64, audioCached: 0.4, image: 5, imageCached: 0.5 },
    source: OPENAI,
  },
  { pattern: /^gpt-4o-mini-audio/, text: 0.15, audio: 10, audioOut: 20, source: OPENAI },
  { pattern: /^gpt-4o-audio-preview-2024-10-01$/, text: 2.5, audio: 100, audioOut: 200, source: OPENAI },
  { pattern: /^gpt-4o-audio/, text: 2.5, audio: 40, audioOut: 80, source: OPENAI },
  { pattern: /^gpt-audio.*mini/, text: 0.6, audio: 10, audioOut: 20, source: OPENAI },
  { pattern: /^gpt-audio/, text: 2.5, audio: 32, audioOut: 64, source: OPENAI },
  { pattern: /^gpt-.*-mini-transcribe/, text: 1.25, audio: 3, source: OPENAI },
  { pattern: /^gpt-.*transcribe/, text: 2.5, audio: 6, source: OPENAI },
  { pattern: /^gpt-image-1-mini/, text: 2, image: 2.5, imageCached: 0.25, source: OPENAI },
  { pattern: /^gpt-image-1(-\d{4}|$)/, text: 5, image: 10, imageCached: 2.5, source: OPENAI },
  { pattern: /^(gpt-image|chatgpt-image)/, text: 5, image: 8, imageCached: 2, source: OPENAI },
  { pattern: /^gemini-(live|.*native-audio)/, text: 0.5, audio: 3, audioOut: 12, image: 3, source: GOOGLE },
  { pattern: /^gemini-2\.5-flash-lite/, text: 0.1, audio: 0.3, audioCached: 0.03, source: GOOGLE },
  { pattern: /^gemini-2\.5-flash-(image|.*tts)/, text: 0.3, source: GOOGLE },
  { pattern: /^gemini-2\.5-flash/, text: 0.3, audio: 1, audioCached: 0.1, source: GOOGLE },
  { pattern: /^gemini-2\.0-flash-lite/, text: 0.075, source: GOOGLE },
  { pattern: /^gemini-2\.0-flash/, text: 0.15, audio: 1, audioCached: 0.25, source: VERTEX },
  { pattern: /^gemini-3-flash/, text: 0.5, audio: 1, audioCached: 0.1, source: GOOGLE },
  { pattern: /^gemini-3\.1-flash-lite/, text: 0.25, audio: 0.5, audioCached: 0.05, source: GOOGLE },
  { pattern: /^qwen-omni-turbo/, text: 0.4, audio: 25, audioOut: 50, image: 1.5, source: QWEN },
  { pattern: /^qwen2\.5-omni/, text: 0.6, audio: 38, audioOut: 76, image: 2, source: QWEN },
];

/**
 * The ratios of sound and pictures: the option of each, its field of a price row, its name in lists of this family, and that of its
 * amount in USD for a million tokens.
 */
export const MEDIA_RATIOS = [
  { option: "AudioRatio", field: "audioRatio", wire: "audio_ratio", amount: "audio" },
  { option: "AudioCompletionRatio", field: "audioCompletionRatio", wire: "audio_completion_ratio", amount: "audioOut" },
  { option: "AudioCacheRatio", field: "audioCacheRatio", wire: "audio_cache_ratio", amount: "audioCached" },
  { option: "ImageRatio", field: "imageRatio", wire: "image_ratio", amount: "image" },
  { option: "ImageCacheRatio", field: "imageCacheRatio", wire: "image_cache_ratio", amount: "imageCached" },
] as const;

export type MediaAmount = (typeof MEDIA_RATIOS)[number]["amount"];
/** USD for a million tokens; what is absent costs as much as text. */
export type MediaAmounts = { [Amount in MediaAmount]?: number };
type MediaField = (typeof MEDIA_RATIOS)[number]["field"];
type MediaOption = (typeof MEDIA_RATIOS)[number]["option"];
/** All relative to the model ratio, but for `audioCompletionRatio`: that one is relative to `audioRatio`. */
export type MediaRatios = { [Field in MediaField]?: number };

/** Sound in answers relative to sound in prompts, where somebody set only the latter. */
const AUDIO_COMPLETION_RATIO = 2;
const NONE: MediaRatios = {};
const known = new Map<string, MediaRatios>();

/** What the maker takes, as ratios; what is absent costs as much as text. */
export function makersMediaRatios(model: string): MediaRatios {
  const seen = known.get(model);
  if (seen) return seen;
  // Resellers put the maker before the name: openai/gpt-audio.
  const name = model.slice(model.lastIndexOf("/") + 1);
  const row = MEDIA_PRICES.find(({ pattern }) => pattern.test(name));
  const ratios = row ? toRatios(row) : NONE;
  // Clients choose model names, so the cache must be bounded.
  if (known.size >= 2_000) known.clear();
  known.set(model, ratios);
  return ratios;
}

function toRatios({ text, audio, audioOut, audioCached, image, imageCached }: MediaPrices): MediaRatios {
  return {
    ...(audio === undefined ? {} : { audioRatio: audio / text }),
    ...(audioOut === undefined ? {} : { audioCompletionRatio: audioOut / (audio ?? text) }),
    ...(audioCached === undefined ? {} : { audioCacheRatio: audioCached / text }),
    ...(image === undefined ? {} : { imageRatio: image / text }),
    ...(imageCached === undefined ? {} : { imageCacheRatio: imageCached / text }),
  };
}

type MediaPart = Pick<PriceRow, MediaField>;

/** What sound and pictures cost: the operator's ratios, else the maker's, else as much as text. */
export function mediaRatiosInForce(
  model: string,
  completionRatio: number,
  options: Pick<PriceOptions, MediaOption>,
): MediaPart {
  const makers = makersMediaRatios(model);
  const set = ownRatios(model, options);
  const { audioRatio = 1, ...others } = set ? { ...makers, ...set } : makers;
  const otherwise =
    set?.audioRatio === undefined && audioRatio > 0 ? completionRatio / audioRatio : AUDIO_COMPLETION_RATIO;
  return { audioCompletionRatio: otherwise, ...others, audioRatio };
}

/** Null = the operator set none. */
function ownRatios(model: string, options: Pick<PriceOptions, MediaOption>): MediaRatios | null {
  let set: MediaRatios | null = null;
  for (const { option, field } of MEDIA_RATIOS) {
    const map = options[option];
    if (!map || !Object.hasOwn(map, model)) continue;
    set ??= {};
    const ratio = map[model];
    if (ratio !== undefined) set[field] = ratio;
  }
  return set;
}

/** What of a price differs from that of its text; what is absent costs as much as text. */
export function mediaOf(price: Pick<PriceRow, MediaField | "completionRatio" | "cacheRatio">): MediaRatios {
  const { audioRatio, audioCompletionRatio, audioCacheRatio, imageRatio, imageCacheRatio } = price;
  const isSpoken = Math.abs(audioRatio * audioCompletionRatio - price.completionRatio) > SAME;
  return {
    ...(audioRatio === 1 ? {} : { audioRatio }),
    ...(isSpoken ? { audioCompletionRatio } : {}),
    ...(audioCacheRatio === undefined || audioCacheRatio === price.cacheRatio ? {} : { audioCacheRatio }),
    ...(imageRatio === undefined || imageRatio === 1 ? {} : { imageRatio }),
    ...(imageCacheRatio === undefined || imageCacheRatio === price.cacheRatio ? {} : { imageCacheRatio }),
  };
}

const SAME = 1e-9;

/** Ratios as amounts, at a price of text. */
export function toMediaAmounts(ratios: MediaRatios, input: number): MediaAmounts {
  const amounts: MediaAmounts = {};
  for (const { field, amount } of MEDIA_RATIOS) {
    const ratio = ratios[field];
    const base = field === "audioCompletionRatio" ? input * (ratios.audioRatio ?? 1) : input;
    if (ratio !== undefined) amounts[amount] = base * ratio;
  }
  return amounts;
}

/** Amounts as ratios; sound in answers is relative to sound in prompts, which costs as much as text where nothing is said of it. */
export function toMediaRatios(amounts: MediaAmounts, input: number): MediaRatios {
  if (input === 0) return {};
  const ratios: MediaRatios = {};
  const all = amounts.audioOut === undefined ? amounts : { audio: input, ...amounts };
  for (const { field, amount } of MEDIA_RATIOS) {
    const usd = all[amount];
    const base = field === "audioCompletionRatio" ? (all.audio ?? input) : input;
    if (usd !== undefined && base > 0) ratios[field] = usd / base;
  }
  return ratios;
}
