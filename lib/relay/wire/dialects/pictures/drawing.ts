import { type Json, readList, readObject, readText } from "../../canonical/json";
import type { ChatRequest } from "../../canonical/request";
import { InvalidRequest } from "../../canonical/wire-error";
import { defined } from "../common/defined";
import { isGiven } from "../common/option-rule";

type Drawing = NonNullable<ChatRequest["drawing"]>;

/**
 * Models that draw in conversations: their pictures are tokens of the completion, at the price of the model. As of November
 * 2026, https://ai.google.dev/gemini-api/docs/image-generation and https://openrouter.ai/docs/features/multimodal/image-generation.
 */
const DRAWING_MODELS = /image|banana|flux|seedream|riverflow/i;

export function drawsPictures(model: string): boolean {
  return DRAWING_MODELS.test(model);
}

/** `modalities`: what the answer may be. `config`: an aspect ratio and a size, by any name. Throws InvalidRequest. */
export function readDrawing(modalities: unknown, config: unknown): Drawing | undefined {
  const kinds = readList(modalities).map((kind) => String(kind).toLowerCase());
  const given = readObject(config);
  const ratio = given.aspect_ratio ?? given.aspectRatio;
  const size = given.image_size ?? given.imageSize;
  if (!kinds.includes("image") && !isGiven(ratio) && !isGiven(size)) return undefined;
  for (const [name, value] of Object.entries({ aspect_ratio: ratio, image_size: size })) {
    if (isGiven(value) && readText(value) === "")
      throw new InvalidRequest(`image_config.${name} must be a text`, "image_config");
  }
  return defined({
    isOnly: kinds.length === 1 && kinds[0] === "image" ? (true as const) : undefined,
    aspectRatio: readText(ratio) || undefined,
    imageSize: readText(size) || undefined,
  });
}

/** https://ai.google.dev/api/generate-content#ImageConfig */
export function googleDrawing({ isOnly, aspectRatio, imageSize }: Drawing): Json {
  const imageConfig = defined({ aspectRatio, imageSize });
  return {
    responseModalities: isOnly ? ["IMAGE"] : ["TEXT", "IMAGE"],
    ...(Object.keys(imageConfig).length > 0 ? { imageConfig } : {}),
  };
}

/** https://openrouter.ai/docs/features/multimodal/image-generation */
export function chatDrawing({ isOnly, aspectRatio: aspect_ratio, imageSize: image_size }: Drawing): Json {
  const config = defined({ aspect_ratio, image_size });
  return {
    modalities: isOnly ? ["image"] : ["image", "text"],
    ...(Object.keys(config).length > 0 ? { image_config: config } : {}),
  };
}
