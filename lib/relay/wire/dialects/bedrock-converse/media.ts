import type { Json } from "../../canonical/json";
import type { AudioPart, FilePart, ImagePart } from "../../canonical/request";
import { documentText } from "../common/plain-content";

export type EncodeMedia = (part: ImagePart | AudioPart | FilePart) => Json | null;

/** The block and the format for each media type that Converse takes. */
const FORMATS: ReadonlyMap<string, readonly [kind: "image" | "document" | "video", format: string]> = new Map([
  ["image/png", ["image", "png"]],
  ["image/jpeg", ["image", "jpeg"]],
  ["image/jpg", ["image", "jpeg"]],
  ["image/gif", ["image", "gif"]],
  ["image/webp", ["image", "webp"]],
  ["application/pdf", ["document", "pdf"]],
  ["text/csv", ["document", "csv"]],
  ["application/msword", ["document", "doc"]],
  ["application/vnd.openxmlformats-officedocument.wordprocessingml.document", ["document", "docx"]],
  ["application/vnd.ms-excel", ["document", "xls"]],
  ["application/vnd.openxmlformats-officedocument.spreadsheetml.sheet", ["document", "xlsx"]],
  ["text/html", ["document", "html"]],
  ["text/plain", ["document", "txt"]],
  ["text/markdown", ["document", "md"]],
  ["video/x-matroska", ["video", "mkv"]],
  ["video/quicktime", ["video", "mov"]],
  ["video/mp4", ["video", "mp4"]],
  ["video/webm", ["video", "webm"]],
  ["video/x-flv", ["video", "flv"]],
  ["video/mpeg", ["video", "mpeg"]],
  ["video/x-ms-wmv", ["video", "wmv"]],
  ["video/3gpp", ["video", "three_gp"]],
]);

const SOUNDS = new Set([
  ...["aac", "flac", "m4a", "mka", "mkv", "mp3", "mp4", "mpeg", "mpga", "ogg", "opus", "pcm", "wav", "webm", "x-aac"],
]);

/** Whether there is a block for this part. */
export function isWritable(part: ImagePart | AudioPart | FilePart): boolean {
  if (part.type === "audio") return SOUNDS.has(part.format);
  const { source } = part;
  return source.type === "text" || (source.type === "base64" && FORMATS.has(source.mediaType));
}

/** Writes the pictures, sounds and documents of one conversation, whose documents must have names of their own. */
export function createMediaEncoder(): EncodeMedia {
  const names = new Set<string>();
  return (part) => {
    if (part.type === "audio") return { audio: { format: part.format, source: { bytes: part.data } } };
    const { source } = part;
    const given = part.type === "file" ? part.name : undefined;
    if (source.type === "text") return { text: documentText(source.text, given) };
    const [kind, format] = (source.type === "base64" && FORMATS.get(source.mediaType)) || [];
    if (source.type !== "base64" || kind === undefined) return null;
    const block = { format, source: { bytes: source.data } };
    return { [kind]: kind === "document" ? { name: ownName(given, names), ...block } : block };
  };
}

/** Letters, digits, single spaces, hyphens, parentheses and brackets are allowed. */
function ownName(given: string | undefined, taken: Set<string>): string {
  const stem = (given ?? "").replace(/\.\w+$/, "").replace(/[^A-Za-z0-9()[\]-]+/g, " ");
  const clean = stem.trim().slice(0, 150).trim() || "document";
  let name = clean;
  for (let count = 2; taken.has(name); count += 1) name = `${clean} ${count}`;
  taken.add(name);
  return name;
}
