import type { ImageRequest } from "./image-request";

type Asked = Pick<ImageRequest, "model" | "size" | "quality">;

/** How a maker counts tokens for the pictures that its models draw. */
type PictureTokens = {
  pattern: RegExp;
  /** It counts tokens for what it is asked, too. */
  countsPrompt?: true;
  /** The most that one picture has. */
  most: (asked: Asked) => number;
  /** What one picture has where the upstream does not say. */
  usual: (asked: Asked) => number;
};

const MEGAPIXEL = 1_048_576;
/** A size as upstreams read it, however it is written. */
export const SIDES = /^\s*0*(\d+)\s*[x*×]\s*0*(\d+)\s*$/;
/** "2K" is the area of a square with sides of 2,048, in any shape. */
const TIER = /^\s*(\d(?:\.\d)?)\s*k\s*$/i;
/** Makers round a shape up: 2848x1600 is called 2K. */
const TIER_SLACK = 1.2;

/** OpenAI's, by quality: square, and with one longer side. developers.openai.com/api/docs/guides/image-generation#cost-and-latency */
const BY_QUALITY = { low: [272, 408], medium: [1_056, 1_584], high: [4_160, 6_240] } as const;

function pixelsOf(size: string | null, otherwise: number): number {
  const [, width, height] = SIDES.exec(size ?? "") ?? [];
  if (width && height) return Number(width) * Number(height);
  const [, tier] = TIER.exec(size ?? "") ?? [];
  return tier ? Number(tier) ** 2 * MEGAPIXEL * TIER_SLACK : otherwise;
}

function byQuality({ size, quality }: Asked): number {
  const [, width, height] = SIDES.exec(size ?? "1024x1024") ?? [];
  const byShape = quality === "low" || quality === "high" ? BY_QUALITY[quality] : BY_QUALITY.medium;
  return byShape[width === height ? 0 : 1];
}

/** Ark's largest picture has 4096 × 4096 pixels, and 256 of them are a token. */
const ARK_PIXELS_MAX = 16 * MEGAPIXEL;
const ARK_PIXELS_USUAL = 2_848 * 1_600;
const arkTokens = ({ size }: Asked): number =>
  Math.ceil(Math.min(pixelsOf(size, ARK_PIXELS_USUAL), ARK_PIXELS_MAX) / 256);

/** $0.211 for a square of high quality, at $30 a million: 7,033; larger ones by their area. */
const GPT_IMAGE_2_TOKENS = 7_040;
/** Where the size is left to it. */
const GPT_IMAGE_2_PIXELS = 1_536 * 1_024;

const GEMINI_TOKENS_MAX = 2_520;
const GEMINI_TOKENS = 1_290;
/** The thoughts of its newer models are counted with the pictures. */
const GEMINI_THOUGHTS_MAX = 8_192;

/** The first row that fits counts. The last one stands for all other models, by whatever name an operator gives them. */
const FAMILIES: readonly PictureTokens[] = [
  // No tokens at all. developers.openai.com/api/docs/pricing, ai.google.dev/gemini-api/docs/pricing
  { pattern: /^(dall-e|imagen)/, most: () => 0, usual: () => 0 },
  // developers.openai.com/api/docs/models/gpt-image-2
  {
    pattern: /^gpt-image-[2-9]/,
    countsPrompt: true,
    most: ({ size }) => Math.ceil(GPT_IMAGE_2_TOKENS * Math.max(1, pixelsOf(size, GPT_IMAGE_2_PIXELS) / MEGAPIXEL)),
    usual: byQuality,
  },
  // developers.openai.com/api/docs/guides/image-generation#cost-and-latency
  { pattern: /^(gpt-image|chatgpt-image)/, countsPrompt: true, most: () => BY_QUALITY.high[1], usual: byQuality },
  // ai.google.dev/gemini-api/docs/pricing: 1,290 for 1K, up to 2,520 for 4K.
  {
    pattern: /^gemini/,
    countsPrompt: true,
    most: () => GEMINI_TOKENS_MAX + GEMINI_THOUGHTS_MAX,
    usual: () => GEMINI_TOKENS,
  },
  // docs.byteplus.com/en/docs/ModelArk/1541523: output_tokens is the sum of width × height, divided by 256.
  { pattern: /seedream|seededit/, most: arkTokens, usual: arkTokens },
  { pattern: /(?:)/, most: (asked) => Math.max(BY_QUALITY.high[1], arkTokens(asked)), usual: () => 0 },
];

function familyOf(model: string): PictureTokens | undefined {
  // Resellers put the maker before it: openai/gpt-image-1.
  const name = model.toLowerCase().slice(model.lastIndexOf("/") + 1);
  return FAMILIES.find(({ pattern }) => pattern.test(name));
}

/** Whether a model is known to count tokens for what it is asked. */
export function countsPromptTokens(model: string): boolean {
  return familyOf(model)?.countsPrompt === true;
}

/** The most tokens that one picture of a request can have; 0 = the model counts none. */
export function pictureTokensMax(asked: Asked): number {
  return familyOf(asked.model)?.most(asked) ?? 0;
}

/** What one picture has where the upstream did not say; 0 = the model counts none, or it is not known. */
export function pictureTokens(asked: Asked): number {
  return familyOf(asked.model)?.usual(asked) ?? 0;
}
