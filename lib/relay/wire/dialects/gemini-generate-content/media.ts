import { type Json, readObject, readText } from "../../canonical/json";
import type { AudioPart, FilePart, ImagePart, MediaSource } from "../../canonical/request";
import { field } from "./fields";

/** Addresses that only Google can read: uploads, and its cloud storage. */
const OWN_FILE = /^(?:https:\/\/generativelanguage\.googleapis\.com\/|gs:\/\/|files\/)/;

export function isOwnFile(uri: string): boolean {
  return OWN_FILE.test(uri);
}

const TYPES: Readonly<Record<string, string>> = {
  png: "image/png",
  jpg: "image/jpeg",
  jpeg: "image/jpeg",
  webp: "image/webp",
  gif: "image/gif",
  heic: "image/heic",
  heif: "image/heif",
  pdf: "application/pdf",
  txt: "text/plain",
  md: "text/markdown",
  csv: "text/csv",
  html: "text/html",
  json: "application/json",
  mp4: "video/mp4",
  webm: "video/webm",
  mp3: "audio/mp3",
  wav: "audio/wav",
};

/** The media type that the end of an address tells; null = it does not tell. */
export function typeOfUrl(url: string): string | null {
  const extension = /\.([a-z0-9]+)(?:[?#]|$)/i.exec(url)?.[1]?.toLowerCase() ?? "";
  return TYPES[extension] ?? null;
}

/** Sound and its format as other dialects name it. */
const SOUND = /^audio\/(?:x-)?([a-z0-9]+)/;

export type Media = { mediaType: string; source: MediaSource };

/** What an inlineData or fileData part holds; null = neither. */
export function mediaOf(part: Json): Media | null {
  const [given, named] = [field(part, "inlineData"), field(part, "fileData")];
  // Most parts are text.
  if (given === undefined && named === undefined) return null;
  const inline = readObject(given);
  const data = readText(inline.data);
  if (data !== "") {
    const mediaType = readText(field(inline, "mimeType")).toLowerCase();
    return { mediaType, source: { type: "base64", mediaType, data } };
  }
  const file = readObject(named);
  const uri = readText(field(file, "fileUri"));
  if (uri === "") return null;
  const mediaType = readText(field(file, "mimeType")).toLowerCase() || typeOfUrl(uri) || "";
  return { mediaType, source: isOwnFile(uri) ? { type: "id", id: uri } : { type: "url", url: uri } };
}

export function decodeMedia({ mediaType, source }: Media): ImagePart | AudioPart | FilePart {
  if (mediaType.startsWith("image/")) return { type: "image", source };
  const sound = SOUND.exec(mediaType)?.[1];
  if (sound !== undefined && source.type === "base64") {
    return { type: "audio", format: sound === "mpeg" ? "mp3" : sound, data: source.data };
  }
  return { type: "file", source };
}

/** A part with this media. A document of plain text becomes a text. */
export function encodeMedia(part: ImagePart | AudioPart | FilePart): Json {
  if (part.type === "audio") return inlineData(`audio/${part.format}`, part.data);
  const { source } = part;
  switch (source.type) {
    case "base64":
      return inlineData(source.mediaType === "image/jpg" ? "image/jpeg" : source.mediaType, source.data);
    case "url":
      return fileData(source.url, typeOfUrl(source.url) ?? (part.type === "image" ? "image/jpeg" : "application/pdf"));
    case "id":
      return { fileData: { fileUri: source.id } };
    case "text": {
      const name = part.type === "file" ? part.name : undefined;
      const title = name === undefined ? "" : ` title=${JSON.stringify(name)}`;
      return { text: `<document${title}>\n${source.text}\n</document>` };
    }
  }
}

function inlineData(mimeType: string, data: string): Json {
  return { inlineData: { mimeType, data } };
}

function fileData(fileUri: string, mimeType: string): Json {
  return { fileData: { mimeType, fileUri } };
}
