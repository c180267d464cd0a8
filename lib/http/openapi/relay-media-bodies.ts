import type { JsonSchema } from "./types";

const model = (example: string): JsonSchema => ({ type: "string", examples: [example] });
const file: JsonSchema = { type: "string", format: "binary" };

const pictures: Record<string, JsonSchema> = {
  model: model("gpt-image-1"),
  prompt: { type: "string" },
  n: { type: "integer", minimum: 1, maximum: 10, default: 1 },
  size: { type: "string", examples: ["1024x1024"] },
  quality: { type: "string" },
  response_format: { type: "string", enum: ["url", "b64_json"] },
  stream: { type: "boolean", default: false },
  partial_images: { type: "integer", minimum: 0, maximum: 3 },
};

export const imageBody: JsonSchema = {
  type: "object",
  required: ["prompt"],
  properties: pictures,
  additionalProperties: true,
};

/** A form has files, JSON has addresses in `images`. */
export const imageEditBody: JsonSchema = {
  type: "object",
  required: ["prompt"],
  properties: { ...pictures, image: file, mask: file },
  additionalProperties: true,
};

export const imageVariationBody: JsonSchema = {
  type: "object",
  required: ["image"],
  properties: { model: model("dall-e-2"), image: file, n: { type: "integer", minimum: 1, maximum: 10 } },
  additionalProperties: true,
};

export const speechBody: JsonSchema = {
  type: "object",
  required: ["input", "voice"],
  properties: {
    model: model("tts-1"),
    input: { type: "string" },
    voice: { type: "string", examples: ["alloy"] },
    instructions: { type: "string" },
    response_format: { type: "string", default: "mp3" },
    stream_format: { type: "string", enum: ["audio", "sse"], default: "audio" },
    speed: { type: "number" },
  },
  additionalProperties: true,
};

export const transcriptBody: JsonSchema = {
  type: "object",
  required: ["file"],
  properties: {
    model: model("whisper-1"),
    file,
    prompt: { type: "string" },
    language: { type: "string" },
    response_format: { type: "string", default: "json" },
    stream: { type: "boolean", default: false },
    temperature: { type: "number" },
  },
  additionalProperties: true,
};
