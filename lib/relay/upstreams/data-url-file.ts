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

/** What names of such files end in, where that is not in the media type. Upstreams tell the kind of a file by it. */
const ENDINGS: Readonly<Record<string, string>> = {
  "text/plain": "txt",
  "text/markdown": "md",
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

function endingOf(mediaType: string): string {
  const ending = ENDINGS[mediaType] ?? mediaType.split("/")[1] ?? "";
  return /^[a-z0-9]{1,10}$/.test(ending) ? ending : "bin";
}
