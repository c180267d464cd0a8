import { parseJsonObject } from "../../dialects/json-text";
import { openaiCaller } from "../documents/document-fields";
import { mediaOperation } from "../media/define-media";
import type { MediaKind } from "../media/media-kind";
import { IMAGE_FORMATS } from "./formats";
import { type ImageRequest, readImages } from "./image-request";
import { measureImages, metersSoFar, needOf } from "./image-usage";
import { hasPicture, readPictures } from "./read-pictures";

const EDITS = "/v1/images/edits";
const VARIATIONS = "/v1/images/variations";

const common: Omit<MediaKind<ImageRequest>, "operation" | "paths" | "read"> = {
  caller: openaiCaller("invalid_image_request"),
  formats: IMAGE_FORMATS,
  rename: (request, model) => ({ ...request, model }),
  words: ({ prompt }) => (prompt === "" ? [] : [prompt]),
  need: needOf,
  expects: () => ({ what: "document", contentType: "application/json" }),
  readFacts: readPictures,
  hasAnswer: hasPicture,
  beginning: /"(b64_json|url)"\s*:\s*"[^"]/,
  measure: measureImages,
  metersSoFar,
};

/** Pictures drawn from words. */
export const images = mediaOperation<ImageRequest>(
  {
    ...common,
    operation: "images",
    paths: ["/v1/images/generations"],
    read: (source) => readImages(source, "generations"),
    test: {
      path: "/v1/images/generations",
      models: /^(dall-e|gpt-image|imagen|cogview|wanx|wan\d|qwen-image|grok-\d-image|flux|kolors)/i,
      json: { prompt: "a dot" },
      isCostly: true,
      isAnswer: (whole) => hasPicture(parseJsonObject(whole.toString("utf8")) ?? {}),
    },
  },
  { json: true, form: true },
);

/** Pictures changed, or drawn once more. */
export const imageEdits = mediaOperation<ImageRequest>(
  {
    ...common,
    operation: "image_edits",
    paths: [EDITS, VARIATIONS],
    read: (source, { path }) => readImages(source, path === EDITS ? "edits" : "variations"),
  },
  { json: true, form: true },
);
