import { inBase64, joinBodies, type RequestBody } from "../../base/large-body";
import type { FormFile } from "../../http/forms/form";
import { type Json, readArray, readObject, readText } from "../../wire/canonical/json";
import { InvalidRequest } from "../../wire/canonical/wire-error";
import { defined } from "../../wire/dialects/common/defined";
import { readFinishReason } from "../../wire/dialects/gemini-generate-content/finish-reason";
import { readUsage } from "../../wire/dialects/gemini-generate-content/usage";
import { failsWithout } from "../documents/document-fields";
import type { EncodedMedia, UpstreamMedia } from "../media/media-kind";
import { googleShape, numberOf, refuseOptions, wordOf } from "./image-options";
import type { ImageRequest } from "./image-request";
import { type Picture, pictureAnswer, refuseStream } from "./picture-answer";

const IMAGEN = /^imagen/;
const IMAGEN_RATIOS = ["1:1", "3:4", "4:3", "9:16", "16:9"];
const GEMINI_RATIOS = ["1:1", "2:3", "3:2", "3:4", "4:3", "4:5", "5:4", "9:16", "16:9", "21:9"];
const IMAGEN_COUNT_MAX = 4;
/** Drafts and thoughts are in the answer of a model that draws, and count; it is asked for no more than this. */
export const DRAWING_TOKENS_MAX = 16_384;
const DATA_URL = /^data:(image\/[\w.+-]+);base64,([A-Za-z0-9+/=]+)$/;

const WORDS_MAX = 500;

const SHAPE = ["image_size", "imageSize", "image_config", "imageConfig"] as const;

/** Imagen 4 and Imagen 4 Ultra draw 2K, Fast does not: https://ai.google.dev/gemini-api/docs/imagen#imagen-configuration. */
function imagenSizes(model: string): readonly string[] {
  return /^imagen-[4-9]/.test(model) && !model.includes("fast") ? ["2K"] : [];
}

/** From Gemini 3 on: https://ai.google.dev/gemini-api/docs/image-generation#aspect_ratios. */
function geminiSizes(model: string): readonly string[] {
  return /gemini-(?:1|2)[.-]/.test(model) ? [] : ["2K", "4K"];
}

/** Imagen's :predict (contract §6.5). */
function encodeImagen(request: ImageRequest, model: string): EncodedMedia {
  const { prompt, count, files, pictures } = request;
  if (files.length + pictures.length > 0) throw new InvalidRequest("the model's upstream changes no pictures", "image");
  if (count > IMAGEN_COUNT_MAX) throw new InvalidRequest(`n must be at most ${IMAGEN_COUNT_MAX} for this model`, "n");
  refuseOptions(request, ["personGeneration", "person_generation", "aspect_ratio", "aspectRatio", ...SHAPE]);
  const { aspectRatio, imageSize } = googleShape(request, { ratios: IMAGEN_RATIOS, sizes: imagenSizes(model) });
  const parameters = defined({
    sampleCount: count,
    aspectRatio,
    sampleImageSize: imageSize,
    personGeneration: wordOf(request, "personGeneration", "person_generation") ?? "allow_adult",
  });
  const body = Buffer.from(JSON.stringify({ instances: [{ prompt }], parameters }));
  return { path: methodOf(model, "predict"), body };
}

/** Gemini's models that draw: pictures are parts of the answer. */
function encodeGemini(request: ImageRequest, model: string): EncodedMedia {
  const { prompt, count, files, pictures } = request;
  if (count > 1) throw new InvalidRequest("n must be 1 for this model", "n");
  const mask = files.find(({ name }) => name === "mask");
  if (mask) throw new InvalidRequest("the model's upstream has no masks", "mask");
  refuseOptions(request, ["seed", "aspect_ratio", "aspectRatio", ...SHAPE]);
  const imageConfig = defined(googleShape(request, { ratios: GEMINI_RATIOS, sizes: geminiSizes(model) }));
  const seed = numberOf(request, "seed");
  const generationConfig = {
    responseModalities: ["TEXT", "IMAGE"],
    maxOutputTokens: DRAWING_TOKENS_MAX,
    ...(seed === undefined ? {} : { seed }),
    ...(Object.keys(imageConfig).length === 0 ? {} : { imageConfig }),
  };
  const inline = pictures.map((address): Json => {
    const [, mimeType, data] = DATA_URL.exec(address) ?? [];
    if (!data) throw new InvalidRequest("pictures must be data URLs for this model", "images");
    return { inlineData: { mimeType, data } };
  });
  const parts = JSON.stringify([...inline, { text: prompt }]).slice(1, -1);
  const body = joinBodies([
    Buffer.from('{"contents":[{"role":"user","parts":['),
    ...files.flatMap(inlineFile),
    Buffer.from(`${parts}]}],"generationConfig":${JSON.stringify(generationConfig)}}`),
  ]);
  return { path: methodOf(model, "generateContent"), body };
}

/** A file goes into the request as it is read. */
function inlineFile({ file, type }: FormFile): RequestBody[] {
  const mimeType = /^image\/[\w.+-]+$/.test(type) ? type : "image/png";
  return [Buffer.from(`{"inlineData":{"mimeType":"${mimeType}","data":"`), inBase64(file), Buffer.from('"}},')];
}

function methodOf(model: string, method: string): string {
  return `/v1beta/models/${encodeURIComponent(model)}:${method}`;
}

function picturesOf({ predictions, candidates }: Json): Picture[] {
  const predicted = readArray(predictions).flatMap((item) => {
    const { bytesBase64Encoded, mimeType, prompt } = readObject(item);
    const bytes = readText(bytesBase64Encoded);
    const words = readText(prompt);
    return bytes === "" ? [] : [{ bytes, type: readText(mimeType) || "image/png", ...(words ? { words } : {}) }];
  });
  const drawn = readArray(candidates).flatMap((candidate) =>
    readArray(readObject(readObject(candidate).content).parts).flatMap((part) => {
      const { inlineData, thought } = readObject(part);
      const { data, mimeType } = readObject(inlineData);
      return thought === true || readText(data) === "" ? [] : [{ bytes: readText(data), type: readText(mimeType) }];
    }),
  );
  return [...predicted, ...drawn];
}

/**
 * Imagen tells a reason for each picture, and answers with nothing at all where it may not tell one
 * (https://cloud.google.com/vertex-ai/generative-ai/docs/model-reference/imagen-api); Gemini names why it stopped
 * (https://ai.google.dev/api/generate-content#FinishReason).
 */
function withheld(json: Json): string | null {
  if (picturesOf(json).length > 0 || json.error !== undefined) return null;
  const { blockReason, blockReasonMessage } = readObject(json.promptFeedback);
  if (readText(blockReason) !== "") return sentence(blockReason, blockReasonMessage);
  for (const item of readArray(json.predictions)) {
    const { raiFilteredReason } = readObject(item);
    if (readText(raiFilteredReason) !== "") return readText(raiFilteredReason);
  }
  for (const item of readArray(json.candidates)) {
    const { finishReason, finishMessage } = readObject(item);
    const isFiltered = readFinishReason(readText(finishReason)).unified === "content-filter";
    if (isFiltered) return sentence(finishReason, finishMessage);
  }
  const isEmpty = Object.keys(json).every((name) => name === "metadata" || name === "predictions");
  return isEmpty && readArray(json.predictions).length === 0 ? "no picture passed, and no reason was told" : null;
}

/** A model that also talks may say why it draws nothing. */
function wordsOf(json: Json): string | null {
  if (picturesOf(json).length > 0) return null;
  const whole = readArray(json.candidates)
    .map(readObject)
    .filter(({ finishReason }) => finishReason === "STOP");
  const parts = whole.flatMap(({ content }) => readArray(readObject(content).parts).map(readObject));
  const said = parts.map(({ text, thought }) => (thought === true ? "" : readText(text))).join("");
  return said.trim().slice(0, WORDS_MAX) || null;
}

function sentence(word: unknown, message: unknown): string {
  return [word, message]
    .map(readText)
    .filter((text) => text !== "")
    .join(": ");
}

/** Google's two ways to draw. */
export const googleImages: UpstreamMedia<ImageRequest> = {
  encode(request, model) {
    refuseStream(request);
    return IMAGEN.test(model) ? encodeImagen(request, model) : encodeGemini(request, model);
  },
  decode(json, request, facts) {
    facts.usage = readUsage(json.usageMetadata);
    return pictureAnswer(picturesOf(json), request, facts);
  },
  withheld,
  saidInstead: wordsOf,
  hasFailed: failsWithout((json) => picturesOf(json).length > 0),
};
