import { endingOf } from "../../wire/dialects/pictures/data-url";

/** `bytes`: of a length that the caller's body bounds. */
export type File = { name: string; mediaType: string; bytes: Buffer<ArrayBuffer> };

const HEAD = /^data:([^;,]*)((?:;[^;,]*)*),/i;

/** The file in a data URL of base64; its parameter `name` is its name. */
export function readFile(dataUrl: string): File {
  const [head = "", type = "", parameters = ""] = HEAD.exec(dataUrl) ?? [];
  const mediaType = type.toLowerCase() || "application/octet-stream";
  const given = /;name=([^;,]*)/i.exec(parameters)?.[1] ?? "";
  const name = withoutPath(decode(given)) || `file.${endingOf(mediaType)}`;
  return { name, mediaType, bytes: Buffer.from(dataUrl.slice(head.length), "base64") };
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** A name is the caller's own text. */
function withoutPath(name: string): string {
  return name.replace(/[\p{Cc}"\\/]+/gu, "_").slice(0, 200);
}
