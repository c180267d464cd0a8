import { type Json, readObject } from "../../../../wire/canonical/json";
import { InvalidRequest } from "../../../../wire/canonical/wire-error";
import { type Picture, SECONDS_MAX } from "./video-request";

const PROMPT_CHARACTERS_MAX = 32_000;
const WORD = /^[A-Za-z0-9.:_-]{1,40}$/;
const BASE64 = /^[A-Za-z0-9+/]+={0,2}$/;
/** Shorter ones cannot be pictures. */
const BASE64_MIN = 64;
const URL_CHARACTERS_MAX = 8_192;

/** Throws InvalidRequest. */
export function readPrompt(value: unknown, isRequired = true): string {
  if (value === undefined || value === null || value === "") {
    if (!isRequired) return "";
    throw new InvalidRequest("prompt must be a text", "prompt");
  }
  if (typeof value !== "string" || value.length > PROMPT_CHARACTERS_MAX) {
    throw new InvalidRequest(`prompt must be a text of at most ${PROMPT_CHARACTERS_MAX} characters`, "prompt");
  }
  return value;
}

/** Seconds as a number or as digits; null = not given. Throws InvalidRequest. */
export function readSeconds(value: unknown, name: string): number | null {
  if (value === undefined || value === null || value === "") return null;
  const seconds = typeof value === "string" ? Number(/^\d{1,3}(\.\d{1,3})?$/.test(value) ? value : Number.NaN) : value;
  if (typeof seconds !== "number" || !(seconds > 0 && seconds <= SECONDS_MAX)) {
    throw new InvalidRequest(`${name} must be a number of seconds up to ${SECONDS_MAX}`, name);
  }
  return seconds;
}

/** A name of a size, a mode …; it can become part of a price's key. Null = not given. Throws InvalidRequest. */
export function readWord(value: unknown, name: string): string | null {
  if (value === undefined || value === null || value === "") return null;
  if (typeof value !== "string" || !WORD.test(value)) {
    throw new InvalidRequest(`${name} must be a word of letters and digits`, name);
  }
  return value;
}

/** Null = not given. Throws InvalidRequest. */
export function readText(value: unknown, name: string): string | null {
  if (value === undefined || value === null) return null;
  if (typeof value === "string" && value.length <= PROMPT_CHARACTERS_MAX) return value;
  throw new InvalidRequest(`${name} must be a text of at most ${PROMPT_CHARACTERS_MAX} characters`, name);
}

/** A picture as a URL, a data URL or plain base64; null = not given. Throws InvalidRequest. */
export function readPicture(value: unknown, name: string): Picture | null {
  if (value === undefined || value === null || value === "") return null;
  if (typeof value === "string") {
    if (/^data:/i.test(value)) return readDataUrl(value, name);
    if (/^https?:\/\//i.test(value) && value.length <= URL_CHARACTERS_MAX && URL.canParse(value)) {
      return { type: "url", url: value };
    }
    if (value.length >= BASE64_MIN && BASE64.test(value)) return { type: "base64", mediaType: "", data: value };
  }
  throw new InvalidRequest(`${name} must be a picture: a URL, a data URL or base64`, name);
}

const DATA_URL = /^data:(image\/[a-z0-9.+-]{1,40});base64,/i;

function readDataUrl(url: string, name: string): Picture {
  const [head, mediaType = ""] = DATA_URL.exec(url) ?? [];
  const data = head ? url.slice(head.length) : "";
  if (!BASE64.test(data)) throw new InvalidRequest(`${name} must be a picture in base64 where it is a data URL`, name);
  return { type: "base64", mediaType: mediaType.toLowerCase(), data };
}

/** Several of them. Throws InvalidRequest. */
export function readPictures(value: unknown, name: string, max: number): Picture[] {
  if (value === undefined || value === null) return [];
  const list = Array.isArray(value) ? value : [value];
  if (list.length > max) throw new InvalidRequest(`${name} must have no more than ${max} pictures`, name);
  return list.flatMap((item: unknown) => readPicture(item, name) ?? []);
}

/** How many videos; 1 where nothing is said. Throws InvalidRequest. */
export function readCount(value: unknown, name: string, max: number): number {
  if (value === undefined || value === null) return 1;
  if (typeof value === "number" && Number.isInteger(value) && value >= 1 && value <= max) return value;
  throw new InvalidRequest(`${name} must be a whole number from 1 to ${max}`, name);
}

/** Null = not given. Throws InvalidRequest. */
export function readSeed(value: unknown): number | null {
  if (value === undefined || value === null) return null;
  if (typeof value === "number" && Number.isSafeInteger(value) && value >= -1) return value;
  throw new InvalidRequest("seed must be a whole number", "seed");
}

/** The first field that is not among those known; null = there is none. */
export function firstOther(json: Json, known: ReadonlySet<string>): string | null {
  const isGiven = (value: unknown): boolean => value !== undefined && value !== null && value !== "";
  return Object.keys(json).find((name) => !known.has(name) && isGiven(json[name])) ?? null;
}

/** What makes a video dearer, by the names that one maker or another has for it. Some readers take "Model" for "model". */
const DEAR = new Set(
  [
    ...[
      "model",
      "model_name",
      "instances",
      "parameters",
      "n",
      "count",
      "num_videos",
      "number_of_videos",
      "num_outputs",
      "sample_count",
      "batch_size",
    ],
    ...["duration", "duration_seconds", "seconds", "length", "video_length", "frames", "num_frames", "frame_count"],
    ...["size", "width", "height", "resolution", "quality", "mode", "sound", "audio", "generate_audio", "with_audio"],
  ].map(plainName),
);

function plainName(name: string): string {
  return name.toLowerCase().replace(/[^a-z]/g, "");
}

/**
 * Fields that a format does not have go to upstreams of the same format unread. Throws InvalidRequest for those that an
 * upstream could take as a longer, larger or further video than is charged.
 */
export function refuseDearFields(json: Json, known: ReadonlySet<string>): void {
  for (const fields of [json, readObject(json.metadata)]) {
    const isOwn = fields === json;
    const found = Object.keys(fields).find((name) => !(isOwn && known.has(name)) && DEAR.has(plainName(name)));
    if (found !== undefined) throw new InvalidRequest(`${found} is no field of this format`, found);
  }
}

const BEGINNINGS: readonly (readonly [string, string])[] = [
  ["/9j/", "image/jpeg"],
  ["iVBORw0KGgo", "image/png"],
  ["R0lGOD", "image/gif"],
  ["UklGR", "image/webp"],
];

/** The media type of a picture in base64, by its first bytes where it is not named. */
export function pictureType({ mediaType, data }: { mediaType: string; data: string }): string {
  return mediaType || (BEGINNINGS.find(([start]) => data.startsWith(start))?.[1] ?? "image/jpeg");
}

/** The picture as a URL, which may be a data URL. */
export function pictureUrl(picture: Picture): string {
  return picture.type === "url" ? picture.url : `data:${pictureType(picture)};base64,${picture.data}`;
}
