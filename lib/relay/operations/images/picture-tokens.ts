import { DRAWING_TOKENS_MAX } from "./google";
import type { ImageRequest } from "./image-request";

type Drawn = Pick<ImageRequest, "model" | "size" | "quality">;
type Asked = Drawn & Pick<ImageRequest, "format">;

/** How a maker counts tokens for the pictures that its models draw. */
type PictureTokens = {
  pattern: RegExp;
  /** Whether it counts tokens of the prompt, too. */
  prompt: "counted" | "free" | "unknown";
  /** The most that one picture has. */
  most: (asked: Asked) => number;
  /** Assumed for one picture where the upstream does not say. */
  usual: (asked: Drawn) => number;
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

function byQuality({ size, quality }: Drawn): number {
  const [, width, height] = SIDES.exec(size ?? "1024x1024") ?? [];
  const byShape = quality === "low" || quality === "high" ? BY_QUALITY[quality] : BY_QUALITY.medium;
  return byShape[width === height ? 0 : 1];
}

/** Ark's largest picture has 4096 × 4096 pixels, and 256 of them are a token. */
const ARK_PIXELS_MAX = 16 * MEGAPIXEL;
const ARK_PIXELS_USUAL = 2_848 * 1_600;
const arkTokens = ({ size }: Drawn): number =>
  Math.ceil(Math.min(pixelsOf(size, ARK_PIXELS_USUAL), ARK_PIXELS_MAX) / 256);

/**
 * gpt-image-2 and later count so many tokens along the longer side at high quality, and half of them at low and medium; the
 * product of both sides grows with the pixels. community.openai.com/t/1382699, after OpenAI's own calculator.
 */
const SIDE_TOKENS = { high: 96, medium: 48 } as const;
const PIXELS_ADDED = 2_000_000;
const PIXELS_PER_TOKEN = 4_000_000;
/** A picture has no more pixels than a square of this side, and neither have all frames of an animation together. */
const SIDE_MAX = 2_880;
const USUAL_SIDE = 1_024;

function bySides({ size, quality, format }: Asked): number {
  const [, across = USUAL_SIDE, down = USUAL_SIDE] = (SIDES.exec(size ?? "") ?? []).map(Number);
  const isMost = format === "gif" || across * down > SIDE_MAX ** 2;
  const [long, short] = isMost ? [SIDE_MAX, SIDE_MAX] : [Math.max(across, down), Math.min(across, down)];
  const side = quality === "low" || quality === "medium" ? SIDE_TOKENS.medium : SIDE_TOKENS.high;
  const shorter = Math.floor((2 * side * short + long) / (2 * long));
  return Math.ceil((side * shorter * (PIXELS_ADDED + long * short)) / PIXELS_PER_TOKEN);
}

const GEMINI_TOKENS = 1_290;

const mostOfAny = (asked: Asked): number => Math.max(BY_QUALITY.high[1], arkTokens(asked), bySides(asked));

/** The first row that fits counts. The last one stands for all other models, by whatever name an operator gives them. */
const FAMILIES: readonly PictureTokens[] = [
  // No tokens at all. developers.openai.com/api/docs/pricing, ai.google.dev/gemini-api/docs/pricing
  { pattern: /^(dall-e|imagen)/, prompt: "free", most: () => 0, usual: () => 0 },
  // developers.openai.com/api/docs/models/gpt-image-2
  { pattern: /^gpt-image-[2-9]/, prompt: "counted", most: bySides, usual: byQuality },
  // developers.openai.com/api/docs/guides/image-generation#cost-and-latency
  { pattern: /^(gpt-image|chatgpt-image)/, prompt: "counted", most: () => BY_QUALITY.high[1], usual: byQuality },
  // ai.google.dev/gemini-api/docs/pricing: 1,290 for 1K, up to 2,520 for 4K.
  {
    pattern: /^gemini/,
    prompt: "counted",
    // Drafts are counted with the picture; the request asks for no more.
    most: () => DRAWING_TOKENS_MAX,
    usual: () => GEMINI_TOKENS,
  },
  // docs.byteplus.com/en/docs/ModelArk/1541523: output_tokens is the sum of width × height, divided by 256.
  { pattern: /seedream|seededit/, prompt: "free", most: arkTokens, usual: arkTokens },
  { pattern: /(?:)/, prompt: "unknown", most: mostOfAny, usual: () => 0 },
];

function familyOf(model: string): PictureTokens | undefined {
  // Resellers put the maker before it: openai/gpt-image-1.
  const name = model.toLowerCase().slice(model.lastIndexOf("/") + 1);
  return FAMILIES.find(({ pattern }) => pattern.test(name));
}

/** Whether a model is known to count tokens of the prompt. */
export function countsPromptTokens(model: string): boolean {
  return familyOf(model)?.prompt === "counted";
}

/** Whether a request must reserve the tokens of its prompt. */
export function mayCountPrompt(model: string): boolean {
  return familyOf(model)?.prompt !== "free";
}

/** The most tokens that one picture of a request can have; 0 = the model counts none. */
export function pictureTokensMax(asked: Asked): number {
  return familyOf(asked.model)?.most(asked) ?? 0;
}

/** Assumed for one picture where the upstream did not say; 0 = the model counts none, or is not known. */
export function pictureTokens(asked: Drawn): number {
  return familyOf(asked.model)?.usual(asked) ?? 0;
}
