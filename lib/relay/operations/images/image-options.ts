import { type Json, readObject } from "../../wire/canonical/json";
import { InvalidRequest } from "../../wire/canonical/wire-error";
import { isGiven } from "../../wire/dialects/common/option-rule";
import type { ImageRequest } from "./image-request";
import { ratioOf, sidesOf } from "./picture-answer";

/**
 * Options that change the picture, by all names that callers have for them. A maker carries those that it has words for;
 * another one is refused by its name, because the picture would not be what was asked for.
 */
const OPTIONS = [
  ...["quality", "style", "background", "output_format", "output_compression", "input_fidelity", "seed", "watermark"],
  ...["negative_prompt", "negativePrompt", "num_inference_steps", "steps", "guidance_scale", "cfg", "prompt_extend"],
  ...["aspect_ratio", "aspectRatio", "image_size", "imageSize", "image_config", "imageConfig", "person_generation"],
  ...["personGeneration", "image2", "image3", "prompt_enhancement"],
] as const;
type Option = (typeof OPTIONS)[number];

/** Common defaults, which clients send without asking for anything by them. */
const USUAL: Readonly<Partial<Record<Option, readonly unknown[]>>> = {
  quality: ["auto", "standard", "medium"],
  style: ["vivid"],
  background: ["auto", "opaque"],
  output_format: ["png"],
  output_compression: [100, "100"],
  input_fidelity: ["low"],
  watermark: [false, "false"],
  prompt_extend: [false, "false"],
  prompt_enhancement: [false, "false"],
};

/** Throws InvalidRequest for an option that the maker has no word for. */
export function refuseOptions({ given }: ImageRequest, carried: readonly Option[]): void {
  for (const name of OPTIONS) {
    const value = given[name];
    if (!isGiven(value) || value === "" || carried.includes(name) || USUAL[name]?.includes(value)) continue;
    throw new InvalidRequest(`the model's upstream has no ${name} for pictures`, name);
  }
}

/** A number, also as a form has it. Undefined = not given. Throws InvalidRequest. */
export function numberOf({ given }: ImageRequest, ...names: Option[]): number | undefined {
  const name = names.find((one) => isGiven(given[one]) && given[one] !== "");
  if (name === undefined) return undefined;
  const number = typeof given[name] === "string" ? Number(given[name]) : given[name];
  if (typeof number === "number" && Number.isFinite(number)) return number;
  throw new InvalidRequest(`${name} must be a number`, name);
}

export function wordOf({ given }: ImageRequest, ...names: Option[]): string | undefined {
  const name = names.find((one) => isGiven(given[one]) && given[one] !== "");
  if (name === undefined) return undefined;
  const value = given[name];
  if (typeof value === "string") return value;
  throw new InvalidRequest(`${name} must be a text`, name);
}

/** Pixels from which Google's next size is nearer; its sizes are 1K, 2K and 4K, by the side of a square. */
const SIZES = [
  ["4K", 7_000_000],
  ["2K", 2_500_000],
] as const;
const RATIO = /^\d{1,2}:\d{1,2}$/;

/**
 * The shape and the size as Google names them. https://ai.google.dev/gemini-api/docs/image-generation#aspect_ratios,
 * https://ai.google.dev/gemini-api/docs/imagen (imageSize). Throws InvalidRequest.
 */
export function googleShape(
  request: ImageRequest,
  { ratios, sizes }: { ratios: readonly string[]; sizes: readonly string[] },
): { aspectRatio: string | undefined; imageSize: string | undefined } {
  const config: Json = { ...request.given, ...readObject(request.given.image_config ?? request.given.imageConfig) };
  const ratio = config.aspect_ratio ?? config.aspectRatio;
  if (isGiven(ratio) && !(typeof ratio === "string" && RATIO.test(ratio) && ratios.includes(ratio))) {
    throw new InvalidRequest(`aspect_ratio must be one of ${ratios.join(", ")} for this model`, "aspect_ratio");
  }
  const named = config.image_size ?? config.imageSize;
  if (isGiven(named) && !(typeof named === "string" && ["1K", ...sizes].includes(named.toUpperCase()))) {
    throw new InvalidRequest(`image_size must be one of ${["1K", ...sizes].join(", ")} for this model`, "image_size");
  }
  const isRatio = request.size !== null && RATIO.test(request.size);
  const sides = isRatio ? null : sidesOf(request);
  const wanted = sides ? SIZES.find(([, pixels]) => sides.width * sides.height >= pixels)?.[0] : undefined;
  if (wanted && !isGiven(named) && !sizes.includes(wanted)) {
    throw new InvalidRequest(
      `size must be at most ${sizes.includes("2K") ? 2_048 : 1_536} pixels a side for this model`,
      "size",
    );
  }
  return {
    aspectRatio: typeof ratio === "string" ? ratio : ratioOf(request, ratios),
    imageSize: typeof named === "string" ? named.toUpperCase() : wanted,
  };
}
