import type { BilledUsage } from "@/lib/billing/types";
import type { MeterUsage } from "@/lib/meters";
import type { MediaFacts } from "../../answers/media/media-facts";
import { countTokens } from "../../base/tokens/count-tokens";
import { counted, reported } from "../media/media-usage";
import type { Need } from "../operation";
import type { ImageRequest } from "./image-request";
import { countsPromptTokens, mayCountPrompt, pictureTokens, pictureTokensMax, SIDES } from "./picture-tokens";

const NO_PROMPT = { audioPromptTokens: 0, writesAudio: false, isUncached: true } as const;
const PARTIAL_TOKENS = 100;
/** The most that a picture of the caller's takes, at the highest fidelity. */
const INPUT_TOKENS = 8_000;
/** Assumed where the upstream does not say. */
const INPUT_TOKENS_USUAL = 1_056;
const BYTES_PER_TOKEN = 2;
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
  // Prices name a word like "2K" as callers write it; what was drawn then is told in pixels.
  const asked = request.size === null || SIDES.test(request.size) ? null : request.size;
  const size = asked ?? told?.size ?? request.size;
  const variant = variantOf({ model, size, quality: told?.quality ?? request.quality });
  return [{ meter: "picture", quantity, ...(variant === undefined ? {} : { variant }) }];
}

export function needOf(request: ImageRequest): Need {
  const { model, prompt, countMax, partial, files, pictures } = request;
  const tokens = mayCountPrompt(model);
  const promptTokens = Math.ceil(Buffer.byteLength(prompt) / BYTES_PER_TOKEN) + 16;
  const ofPictures = (files.length + pictures.length) * INPUT_TOKENS;
  const each = pictureTokensMax(request);
  return {
    prompt: tokens
      ? { ...NO_PROMPT, promptTokens: promptTokens + ofPictures, imagePromptTokens: ofPictures }
      : { ...NO_PROMPT, promptTokens: 0 },
    meters: metersOf(request, countMax, null),
    completionTokensMax: each === 0 ? 0 : countMax * (each + partial * PARTIAL_TOKENS),
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
  const size = facts?.size ?? request.size;
  const quality = facts?.quality ?? request.quality;
  const completionTokens = pictures * pictureTokens({ model, size, quality });
  if (!countsPromptTokens(model) && pictures > 0) {
    return counted({ promptTokens: 0, completionTokens }, meters, completionTokens > 0);
  }
  const promptTokens = Math.max(1, await countTokens([prompt], model));
  const ofInputs = (files.length + given.length) * INPUT_TOKENS_USUAL;
  const all = counted({ promptTokens: promptTokens + ofInputs, completionTokens }, meters, true);
  return ofInputs > 0 ? { ...all, imagePromptTokens: ofInputs } : all;
}

/** The pictures that a running stream has delivered so far. */
export function metersSoFar(request: ImageRequest, facts: MediaFacts): MeterUsage[] {
  return metersOf(request, Math.min(facts.pictures, request.countMax), facts);
}
