import { z } from "zod";
import { findShapeFault } from "./fault";

// What makers of pictures take, by the path that is asked. Unknown fields are errors.

const RATIOS = ["1:1", "2:3", "3:2", "3:4", "4:3", "4:5", "5:4", "9:16", "16:9", "21:9"] as const;

/** https://ai.google.dev/api/generate-content#ImageConfig; sizes are in capital letters, and from Gemini 3 on. */
export const imageConfig = z.strictObject({
  aspectRatio: z.enum(RATIOS).optional(),
  imageSize: z.enum(["1K", "2K", "4K"]).optional(),
});

const drawn = z.looseObject({
  contents: z.array(z.looseObject({})).min(1),
  generationConfig: z.looseObject({
    responseModalities: z.array(z.enum(["TEXT", "IMAGE"])).refine((kinds) => kinds.includes("IMAGE")),
    imageConfig: imageConfig.optional(),
  }),
});
const drawnBefore = drawn.refine(
  ({ generationConfig }) => generationConfig.imageConfig?.imageSize === undefined,
  "image_size is not supported by this model",
);

/** https://ai.google.dev/gemini-api/docs/imagen#imagen-configuration: the fast model has no 2K. */
const imagen = (sizes: readonly [string, ...string[]]) =>
  z.strictObject({
    instances: z.array(z.strictObject({ prompt: z.string().min(1) })).length(1),
    parameters: z.strictObject({
      sampleCount: z.int().min(1).max(4).optional(),
      aspectRatio: z.enum(["1:1", "3:4", "4:3", "9:16", "16:9"]).optional(),
      sampleImageSize: z.enum(sizes).optional(),
      personGeneration: z.enum(["dont_allow", "allow_adult", "allow_all"]).optional(),
    }),
  });

/** https://docs.siliconflow.cn/docs/api/images-generations-post: a size for all models but those that change pictures. */
const picture = z.string().regex(/^(https?:\/\/|data:image\/)/);
const siliconflow = {
  model: z.string(),
  prompt: z.string().min(1),
  negative_prompt: z.string().optional(),
  seed: z.int().max(9_999_999_999).optional(),
  num_inference_steps: z.int().min(1).max(100).optional(),
  cfg: z.number().min(0.1).max(20).optional(),
  ...{ image: picture.optional(), image2: picture.optional(), image3: picture.optional() },
};
const image_size = z.string().regex(/^\d+x\d+$/);
const SILICONFLOW: readonly [model: RegExp, schema: z.ZodType][] = [
  [/Qwen-Image-Edit/, z.strictObject(siliconflow)],
  [
    /Kolors/,
    z.strictObject({
      ...siliconflow,
      image_size,
      batch_size: z.int().min(1).max(4).optional(),
      guidance_scale: z.number().min(0).max(20).optional(),
    }),
  ],
  [/Qwen-Image/, z.strictObject({ ...siliconflow, image_size })],
];

/** Why the maker refuses to draw; null = it draws, or the path is none of those that are judged. */
export function findPictureFault(path: string, body: unknown): string | null {
  const google = /models\/([^/:?]+):(predict|generateContent)/.exec(path);
  if (google) return findShapeFault(googleSchema(google[1] ?? "", google[2] ?? ""), body);
  const model = String((body as { model?: unknown }).model);
  const own = SILICONFLOW.find(([pattern]) => pattern.test(model))?.[1];
  return own && path.endsWith("/images/generations") ? findShapeFault(own, body) : null;
}

function googleSchema(model: string, method: string): z.ZodType {
  if (method === "predict") return imagen(model.includes("fast") ? ["1K"] : ["1K", "2K"]);
  return /gemini-2/.test(model) ? drawnBefore : drawn;
}
