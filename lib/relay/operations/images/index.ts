import { TESTED_MODELS } from "@/lib/provider-catalogue/channel-tests";
import { parseJsonObject } from "../../wire/dialects/common/json-text";
import { isGiven, type OptionRule } from "../../wire/dialects/common/option-rule";
import { openaiCaller } from "../documents/document-fields";
import { mediaOperation } from "../media/define-media";
import type { MediaKind, UpstreamMedia } from "../media/media-kind";
import { dashscopeImages } from "./dashscope";
import { googleImages } from "./google";
import { type ImageRequest, readImages } from "./image-request";
import { measureImages, metersSoFar, needOf } from "./image-usage";
import { hasPicture, readPictures } from "./read-pictures";
import { siliconflowImages } from "./siliconflow";

/** Formats of pictures besides OpenAI's, by id. */
const IMAGE_FORMATS: ReadonlyMap<string, UpstreamMedia<ImageRequest>> = new Map([
  ["google", googleImages],
  ["dashscope", dashscopeImages],
  ["siliconflow", siliconflowImages],
]);

const EDITS = "/v1/images/edits";
const VARIATIONS = "/v1/images/variations";

/** What options of a request for pictures cost. */
export const imageOptions: readonly OptionRule[] = [
  {
    field: "svg, output_format svg",
    becomes: "refused",
    param: "svg",
    note: "another model writes it, at its own price",
    applies: ({ svg, output_format: format }) => isGiven(svg) || String(format).toLowerCase() === "svg",
  },
  {
    field: "output_format gif, frame_count",
    becomes: "counted",
    note: "the tokens of all frames are in the usage",
  },
  {
    field: "n, partial_images, quality, size, complexity, input_fidelity",
    becomes: "counted",
    note: "they change only how many tokens or pictures there are",
  },
];

const common: Omit<MediaKind<ImageRequest>, "operation" | "paths" | "read"> = {
  clientDialect: openaiCaller("invalid_image_request"),
  options: imageOptions,
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
      models: TESTED_MODELS.images,
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
