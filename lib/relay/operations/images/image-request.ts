import type { FormFile } from "../../http/forms/form";
import { type Json, readList, readObject } from "../../wire/canonical/json";
import { InvalidRequest } from "../../wire/canonical/wire-error";
import { readModel } from "../../wire/dialects/common/request-fields";
import { fieldsOf, filesOf } from "../media/media-fields";
import type { MediaRequest, MediaSource } from "../media/media-kind";

/** Pictures to be drawn or changed, independent of the wire format. */
export type ImageRequest = MediaRequest & {
  method: "generations" | "edits" | "variations";
  prompt: string;
  count: number;
  /** The most that may come of it: some makers have fields of their own for more. */
  countMax: number;
  /** Null = the caller left it to the upstream. */
  size: string | null;
  quality: string | null;
  background: string | null;
  /** "png", "gif" …; null = the upstream's usual one. */
  format: string | null;
  /** "url" or "b64_json"; null = as the upstream likes. */
  answersWith: string | null;
  /** Pictures sent before the last one is finished. */
  partial: number;
  /** The pictures of an edit, and its mask. */
  files: readonly FormFile[];
  /** Of a JSON body, as data URLs or addresses. */
  pictures: readonly string[];
  /** All that the caller gave, for what single makers have words for. A form has texts only. */
  given: Json;
};

/** Contract §4.1. */
const USUAL_MODEL = "dall-e-2";
const PROMPT_MAX = 65_536;
const COUNT_MAX = 10;
/** Of a series, and whatever else is asked for. */
const SERIES_MAX = 15;
const MORE_MAX = 100;
const PARTIAL_MAX = 3;
const WORD_MAX = 64;
const PICTURES_MAX = 16;

/** Throws InvalidRequest. */
export function readImages(source: MediaSource, method: ImageRequest["method"]): ImageRequest {
  const fields = fieldsOf(source);
  const given = "form" in source ? source.form.text("model") : source.json.model;
  const prompt = fields.text("prompt", PROMPT_MAX) ?? "";
  if (prompt === "" && method !== "variations") throw new InvalidRequest("prompt must be a text", "prompt");
  const word = (name: string): string | null => {
    const value = fields.text(name, WORD_MAX) ?? "";
    return value === "" || value === "auto" ? null : value;
  };
  const answersWith = word("response_format");
  if (answersWith !== null && answersWith !== "url" && answersWith !== "b64_json") {
    throw new InvalidRequest("response_format must be url or b64_json", "response_format");
  }
  const count = fields.whole("n", 1, COUNT_MAX) ?? 1;
  const request: ImageRequest = {
    model: readModel(given ?? USUAL_MODEL),
    isStream: fields.flag("stream"),
    method,
    prompt,
    count,
    countMax: "form" in source ? count : countMaxOf(source.json, count),
    size: word("size"),
    quality: word("quality"),
    background: word("background"),
    format: word("output_format"),
    answersWith,
    partial: fields.whole("partial_images", 0, PARTIAL_MAX) ?? 0,
    files: "form" in source ? filesOf(source.form, ["image", "mask"]) : [],
    pictures: "form" in source ? [] : picturesOf(source.json),
    given: "form" in source ? textsOf(source) : source.json,
  };
  const hasPicture = request.pictures.length > 0 || request.files.some(({ name }) => name !== "mask");
  if (method !== "generations" && !hasPicture) throw new InvalidRequest("image must be a file", "image");
  return request;
}

function textsOf({ form }: Extract<MediaSource, { form: unknown }>): Json {
  return Object.fromEntries(form.entries.flatMap((entry) => ("text" in entry ? [[entry.name, entry.text]] : [])));
}

/** SiliconFlow's and other makers' words for n, and Ark's series of pictures. */
function countMaxOf({ batch_size, num_images, ...json }: Json, count: number): number {
  const series = json.sequential_image_generation;
  const { max_images: most = series === "auto" ? SERIES_MAX : count } = readObject(
    json.sequential_image_generation_options,
  );
  const given = [batch_size, num_images, most].map(Number).filter((number) => number > 0);
  return Math.min(Math.max(count, ...given.map(Math.ceil)), MORE_MAX);
}

/** `images` of OpenAI, `image` of others: addresses, or objects with one. An upstream may read both. */
function picturesOf({ image, images }: Json): readonly string[] {
  const list = [...readList(images), ...readList(image)];
  if (list.length > PICTURES_MAX) throw new InvalidRequest(`there can be at most ${PICTURES_MAX} pictures`, "images");
  return list.map((item) => {
    if (typeof item === "string") return item;
    const { image_url: address, url, file_id: id } = (item ?? {}) as Json;
    const text = address ?? url ?? id;
    if (typeof text !== "string") throw new InvalidRequest("a picture must be an address or a file", "images");
    return text;
  });
}
