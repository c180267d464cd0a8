import { z } from "zod";

const picture = z.string().regex(/^(https?:\/\/|data:image\/)/);
const bytes = z.string().regex(/^[A-Za-z0-9+/]+={0,2}$/);

/** OpenAI's POST /v1/videos as JSON; a form has the picture as a file. */
export const openaiVideoBody = z.strictObject({
  model: z.string(),
  prompt: z.string().min(1),
  seconds: z.string().regex(/^\d+$/).optional(),
  size: z
    .string()
    .regex(/^\d+x\d+$/)
    .optional(),
  input_reference: z.union([z.strictObject({ image_url: picture }), z.instanceof(File)]).optional(),
});

const klingBase = {
  model_name: z.string(),
  negative_prompt: z.string().optional(),
  mode: z.enum(["std", "pro", "4k"]).optional(),
  duration: z.string().regex(/^\d+$/),
  sound: z.enum(["on", "off"]).optional(),
  cfg_scale: z.number().min(0).max(1).optional(),
  camera_control: z.object({ type: z.string() }).optional(),
};

export const klingTextBody = z.strictObject({
  ...klingBase,
  prompt: z.string().min(1),
  aspect_ratio: z.enum(["16:9", "9:16", "1:1"]).optional(),
});

/** Pictures are URLs or base64 without the head of a data URL. */
const klingPicture = z.union([z.url({ protocol: /^https?$/ }), bytes]);

export const klingImageBody = z
  .strictObject({
    ...klingBase,
    prompt: z.string().optional(),
    image: klingPicture.optional(),
    image_tail: klingPicture.optional(),
  })
  .refine(({ image, image_tail: tail }) => image !== undefined || tail !== undefined, "image is needed");

const veoImage = z.strictObject({ bytesBase64Encoded: bytes, mimeType: z.string().startsWith("image/") });

export const veoBody = z.strictObject({
  instances: z.tuple([
    z.strictObject({
      prompt: z.string().optional(),
      image: veoImage.optional(),
      lastFrame: veoImage.optional(),
      referenceImages: z
        .array(z.strictObject({ image: veoImage, referenceType: z.enum(["asset", "style"]) }))
        .max(3)
        .optional(),
    }),
  ]),
  parameters: z.strictObject({
    durationSeconds: z.number().int().min(4).max(8),
    resolution: z.enum(["720p", "1080p", "4k"]).optional(),
    aspectRatio: z.enum(["16:9", "9:16"]).optional(),
    negativePrompt: z.string().optional(),
    personGeneration: z.enum(["allow_all", "allow_adult", "dont_allow"]).optional(),
    generateAudio: z.boolean().optional(),
    seed: z.number().int().optional(),
    sampleCount: z.number().int().min(1).max(4).optional(),
  }),
});

const arkContent = z.union([
  z.strictObject({ type: z.literal("text"), text: z.string().min(1) }),
  z.strictObject({
    type: z.literal("image_url"),
    image_url: z.strictObject({ url: picture }),
    role: z.enum(["first_frame", "last_frame", "reference_image"]).optional(),
  }),
]);

export const arkBody = z.strictObject({
  model: z.string(),
  content: z.array(arkContent).min(1),
  resolution: z.enum(["480p", "720p", "1080p", "4k"]).optional(),
  ratio: z.enum(["16:9", "4:3", "1:1", "3:4", "9:16", "21:9", "adaptive"]).optional(),
  duration: z.number().int().min(2).max(30).optional(),
  frames: z.number().int().optional(),
  seed: z.number().int().min(-1).optional(),
  camera_fixed: z.boolean().optional(),
  watermark: z.boolean().optional(),
  generate_audio: z.boolean().optional(),
  return_last_frame: z.boolean().optional(),
});
