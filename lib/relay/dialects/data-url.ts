import type { MediaSource } from "../canonical/request";
import { InvalidRequest } from "../canonical/wire-error";

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
