import type { MediaSource } from "../../canonical/request";
import { InvalidRequest } from "../../canonical/wire-error";

const DATA_URL = /^data:([^;,]*)(?:;[^;,]*)*;base64,/i;

/** The source of an image or file. Throws InvalidRequest for a data URL that is not base64. */
export function readSource(url: string, param: string): MediaSource {
  if (!/^data:/i.test(url)) return { type: "url", url };
  const head = DATA_URL.exec(url);
  if (!head) throw new InvalidRequest("a data URL must be base64", param);
  return { type: "base64", mediaType: (head[1] ?? "").toLowerCase(), data: url.slice(head[0].length) };
}

/** The same for the data of a file, which may be base64 alone. */
export function readFileData(data: string, param: string): MediaSource {
  if (/^(data|https?|gs|file):/i.test(data)) return readSource(data, param);
  return { type: "base64", mediaType: "", data };
}

export function dataUrl(mediaType: string, data: string): string {
  return `data:${mediaType};base64,${data}`;
}

export function isDataUrl(url: string): boolean {
  return /^data:/i.test(url);
}

/** A data URL that says what its file is called. */
export function namedDataUrl(mediaType: string, name: string | undefined, data: string): string {
  return dataUrl(name === undefined ? mediaType : `${mediaType};name=${encodeURIComponent(name)}`, data);
}

/** What names of such files end in, where that is not in the media type. Upstreams tell the kind of a file by it. */
const ENDINGS: Readonly<Record<string, string>> = {
  "text/plain": "txt",
  "text/markdown": "md",
  "text/javascript": "js",
  "text/x-python": "py",
  "application/x-python": "py",
  "image/jpeg": "jpg",
  "image/svg+xml": "svg",
  "audio/mpeg": "mp3",
  "audio/x-wav": "wav",
  "application/msword": "doc",
  "application/vnd.ms-excel": "xls",
  "application/vnd.ms-powerpoint": "ppt",
  "application/vnd.openxmlformats-officedocument.wordprocessingml.document": "docx",
  "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet": "xlsx",
  "application/vnd.openxmlformats-officedocument.presentationml.presentation": "pptx",
};

/** What the name of a file ends in that has none; "bin" = not known. */
export function endingOf(mediaType: string): string {
  const ending = ENDINGS[mediaType] ?? mediaType.split("/")[1] ?? "";
  return /^[a-z0-9]{1,10}$/.test(ending) ? ending : "bin";
}
