import type { BilledUsage } from "@/lib/billing/types";
import type { MeterUsage } from "@/lib/meters";
import type { MediaFacts } from "../../answers/media/media-facts";
import { countTokens } from "../../tokens/count-tokens";
import { counted, reported } from "../media/media-usage";
import type { Need } from "../operation";
import { DRAWING_TOKENS_MAX } from "./google";
import type { ImageRequest } from "./image-request";

/** Models that count tokens for pictures. */
const COUNTS_TOKENS = /^(gpt-image|chatgpt-image|gemini)/;
/** Tokens of a picture by quality: square, and with one longer side. */
const TOKENS = { low: [272, 408], medium: [1_056, 1_584], high: [4_160, 6_240] } as const;
/** Models that never do. All others may, by whatever name an operator gives them. */
const COUNTS_PICTURES = /^(dall-e|imagen)/;
const FIRST_GENERATION = /^gpt-image-1/;
const TOKENS_MAX = TOKENS.high[1];
const PARTIAL_TOKENS = 100;
/**
 * Of gpt-image-2 and later, a picture at high quality has so many tokens on its longer side, and another half million
 * pixels; low and medium quality have half of them: community.openai.com/t/1382699, after OpenAI's own calculator.
 */
const SIDE_TOKENS = { high: 96, medium: 48 } as const;
const PIXELS_ADDED = 2_000_000;
const PIXELS_PER_TOKEN = 4_000_000;
/** A picture has no more pixels than a square of this side, and neither have all frames of an animation together. */
const SIDE_MAX = 2_880;
const USUAL_SIDE = 1_024;
/** The most that a picture of the caller's takes, at the highest fidelity. */
const INPUT_TOKENS = 8_000;
const BYTES_PER_TOKEN = 2;
/** A size as upstreams read it, however it is written. */
const SIDES = /^\s*0*(\d+)\s*[x*×]\s*0*(\d+)\s*$/;
const DALL_E_SIZE = "1024x1024";

/** Size and quality as prices name them; undefined = the upstream chooses, or chose, the size. */
function variantOf({ model, size, quality }: Pick<ImageRequest, "model" | "size" | "quality">): string | undefined {
  const known = size ?? (model.startsWith("dall-e") ? DALL_E_SIZE : null);
  if (known === null) return undefined;
  const parts = [known, ...(quality === null ? [] : [quality])];
  return parts
    .map((part) =>
      part
        .toLowerCase()
        .replace(SIDES, "$1x$2")
        .replace(/[^\w.-]/g, ""),
    )
    .join(":");
}

function metersOf(
  request: ImageRequest,
  quantity: number,
  told: Pick<MediaFacts, "size" | "quality"> | null,
): MeterUsage[] {
  if (quantity === 0) return [];
  const { model } = request;
  const variant = variantOf({ model, size: told?.size ?? request.size, quality: told?.quality ?? request.quality });
  return [{ meter: "picture", quantity, ...(variant === undefined ? {} : { variant }) }];
}

/** The most that one picture has, whatever the upstream chooses that the request leaves open. */
function pictureTokensMax({ model, size, quality, format }: ImageRequest): number {
  if (FIRST_GENERATION.test(model)) return TOKENS_MAX;
  if (model.startsWith("gemini")) return DRAWING_TOKENS_MAX;
  const [, across = USUAL_SIDE, down = USUAL_SIDE] = (SIDES.exec(size ?? "") ?? []).map(Number);
  const isMost = format === "gif" || across * down > SIDE_MAX ** 2;
  const [long, short] = isMost ? [SIDE_MAX, SIDE_MAX] : [Math.max(across, down), Math.min(across, down)];
  const side = quality === "low" || quality === "medium" ? SIDE_TOKENS.medium : SIDE_TOKENS.high;
  const shorter = Math.floor((2 * side * short + long) / (2 * long));
  const tokens = Math.ceil((side * shorter * (PIXELS_ADDED + long * short)) / PIXELS_PER_TOKEN);
  return model.startsWith("gpt-image") ? tokens : Math.max(TOKENS_MAX, tokens);
}

export function needOf(request: ImageRequest): Need {
  const { model, prompt, countMax, partial, files, pictures } = request;
  const tokens = !COUNTS_PICTURES.test(model);
  const promptTokens = Math.ceil(Buffer.byteLength(prompt) / BYTES_PER_TOKEN) + 16;
  const ofPictures = (files.length + pictures.length) * INPUT_TOKENS;
  return {
    prompt: { promptTokens: tokens ? promptTokens + ofPictures : 0, audioPromptTokens: 0, writesAudio: false },
    meters: metersOf(request, countMax, null),
    completionTokensMax: tokens ? countMax * (pictureTokensMax(request) + partial * PARTIAL_TOKENS) : 0,
    choices: 1,
    asksToThink: false,
    isWhole: true,
  };
}

/** What the pictures that were delivered are charged as. */
export async function measureImages(request: ImageRequest, facts: MediaFacts | null): Promise<BilledUsage> {
  const { model, prompt, files, pictures: given } = request;
  const pictures = facts?.pictures ?? 0;
  const meters = metersOf(request, pictures, facts);
  if (facts?.usage) return reported(facts.usage, meters);
  const isTokens = COUNTS_TOKENS.test(model);
  if (!isTokens && pictures > 0) return counted({ promptTokens: 0, completionTokens: 0 }, meters, false);
  const promptTokens = Math.max(1, await countTokens([prompt], model));
  const ofInputs = (files.length + given.length) * TOKENS.medium[0];
  const completionTokens = pictures * tokensOf(facts?.size ?? request.size, facts?.quality ?? request.quality);
  return counted({ promptTokens: promptTokens + ofInputs, completionTokens }, meters, true);
}

/** What one picture has, where the upstream did not say. */
function tokensOf(size: string | null, quality: string | null): number {
  const [width, height] = (size ?? DALL_E_SIZE).split("x").map(Number);
  const byShape = quality === "low" || quality === "high" ? TOKENS[quality] : TOKENS.medium;
  return byShape[width === height ? 0 : 1];
}
