import type { Json } from "../../canonical/json";
import { InvalidRequest } from "../../canonical/wire-error";
import type { Attachments } from "../dialect";
import { isDataUrl } from "../pictures/data-url";

/** Larger token limits are refused as invalid. */
export const TOKENS_MAX = 2 ** 30;

const MODEL_LENGTH_MAX = 255;
const CONTROL = /\p{Cc}/u;

export function readModel(value: unknown): string {
  if (typeof value !== "string") throw new InvalidRequest("model must be a string", "model");
  if (value === "" || value.length > MODEL_LENGTH_MAX || CONTROL.test(value)) {
    throw new InvalidRequest("model must be a name of 1 to 255 characters", "model");
  }
  return value;
}

export function readMessageList(json: Json): readonly unknown[] {
  const { messages } = json;
  if (!Array.isArray(messages) || messages.length === 0) {
    throw new InvalidRequest("messages must be a list", "messages");
  }
  return messages;
}

export function readStream(json: Json): boolean {
  return readFlag(json, "stream") ?? false;
}

export function readFlag(json: Json, name: string): boolean | undefined {
  const value = json[name];
  if (value === undefined || value === null) return undefined;
  if (typeof value !== "boolean") throw new InvalidRequest(`${name} must be true or false`, name);
  return value;
}

/** A whole number within bounds; null = not given. */
export function readLimit(json: Json, name: string, min: number, max: number): number | null {
  const value = json[name];
  if (value === undefined || value === null) return null;
  if (typeof value !== "number" || !Number.isInteger(value) || value < min || value > max) {
    throw new InvalidRequest(`${name} must be a whole number from ${min} to ${max}`, name);
  }
  return value;
}

export function readNumber(json: Json, name: string): number | undefined {
  const value = json[name];
  if (value === undefined || value === null) return undefined;
  if (typeof value !== "number") throw new InvalidRequest(`${name} must be a number`, name);
  return value;
}

/** A string or a list of strings; an empty list is none, because some upstreams refuse it. */
export function readTexts(json: Json, name: string): readonly string[] | undefined {
  const value = json[name];
  if (value === undefined || value === null) return undefined;
  const list: readonly unknown[] = Array.isArray(value) ? value : [value];
  if (!list.every((item) => typeof item === "string")) throw new InvalidRequest(`${name} must be texts`, name);
  return list.length > 0 ? list : undefined;
}

/** Undefined = not given, or a word that is not known. */
export function readVerbosity(value: unknown): "low" | "medium" | "high" | undefined {
  return value === "low" || value === "medium" || value === "high" ? value : undefined;
}

const IMAGE_TOKENS = 5_000;
/** Where a small model's images are counted at many times the tokens of a large one's. */
const SMALL_IMAGE_TOKENS = 48_169;
const FILE_TOKENS = 5_000;
const FILE_BYTES_PER_TOKEN = 4;
/** Ten tokens a second; the lowest rate in use is about a kilobyte of base64 a second. */
const AUDIO_BYTES_PER_TOKEN = 100;
const AUDIO_TOKENS = 100;

export function noAttachments(): Attachments {
  return {
    tokens: 0,
    audioTokens: 0,
    encodedBytes: 0,
    pictureBytes: 0,
    hasUnknownSize: false,
    hasStoredFiles: false,
    maySound: false,
  };
}

/** A picture has a largest size, wherever it comes from. `encodedBytes`: 0 = the upstream fetches it. */
function addImage(into: Attachments, encodedBytes: number, model: string): void {
  into.tokens += /4o-mini/.test(model) ? SMALL_IMAGE_TOKENS : IMAGE_TOKENS;
  into.encodedBytes += encodedBytes;
  into.pictureBytes += encodedBytes;
}

/** A picture within a text of a model's. */
export function addDrawn(into: Attachments, encodedBytes: number, model: string): void {
  addImage(into, encodedBytes, model);
  into.hasDrawn = true;
}

/** An image by its address. A data URL is of the type that it says, because a translation sends it on as that. */
export function addImageUrl(into: Attachments, url: string, model: string): void {
  if (!isDataUrl(url)) addImage(into, 0, model);
  else addMedia(into, /^data:([^;,]*)/i.exec(url.slice(0, 200))?.[1] ?? "", url.length, model);
}

/** By the media type. `encodedBytes`: 0 = the upstream fetches it, so that only the type of a picture is believed. */
export function addMedia(
  into: Attachments,
  mediaType: string,
  encodedBytes: number,
  model: string,
  audioBytesPerToken = AUDIO_BYTES_PER_TOKEN,
): void {
  if (/^image\//i.test(mediaType)) addImage(into, encodedBytes, model);
  else if (/^audio\//i.test(mediaType) && encodedBytes > 0) addAudio(into, encodedBytes, audioBytesPerToken);
  else if (/^(text|application)\//i.test(mediaType)) addFile(into, encodedBytes, mediaType);
  else addFilm(into, encodedBytes);
}

/** Plain texts, whose bytes bound their tokens. What looks like one by its type, and not by its name, is none. */
const TEXT_TYPE = /^(text\/|application\/json\b)/i;
const TEXT_NAME =
  /\.(txt|md|csv|tsv|json|jsonl|html?|xml|ya?ml|log|[cm]?[jt]sx?|py|java|c|cpp|h|go|rs|rb|php|sh|sql|css|tex)$/i;
const OTHER_NAME = /\.(pdf|docx?|xlsx?|pptx?|od[tsp]|rtf|mp4|mov|webm|mp3|wav)$/i;

/** The most tokens of an uploaded file; null = its size does not tell. */
export function tokensOfFile({ name, bytes }: { name: string | null; bytes: number | null }): number | null {
  if (name === null || bytes === null) return null;
  if (/\.(png|jpe?g|webp|gif)$/i.test(name)) return IMAGE_TOKENS;
  return TEXT_NAME.test(name) ? bytes : null;
}

/** `encodedBytes`: 0 = the upstream fetches it. `mediaType`: "" = not known. */
export function addFile(into: Attachments, encodedBytes: number, mediaType: string, name = ""): void {
  into.encodedBytes += encodedBytes;
  if (encodedBytes > 0 && TEXT_TYPE.test(mediaType) && !OTHER_NAME.test(name)) {
    into.tokens += Math.max(FILE_TOKENS, Math.ceil(encodedBytes / FILE_BYTES_PER_TOKEN));
    return;
  }
  into.hasUnknownSize = true;
}

/** What can hold sound beside other content, or sound alone that nobody here has the bytes of. */
export function addFilm(into: Attachments, encodedBytes: number): void {
  into.encodedBytes += encodedBytes;
  into.hasUnknownSize = true;
  into.maySound = true;
}

export function addAudio(into: Attachments, encodedBytes: number, bytesPerToken = AUDIO_BYTES_PER_TOKEN): void {
  into.audioTokens += Math.max(AUDIO_TOKENS, Math.ceil(encodedBytes / bytesPerToken));
  into.encodedBytes += encodedBytes;
}
