import type { Rules } from "@/lib/model-rules/schema";
import { type Json, readObject, readText } from "../../wire/canonical/json";
import type { ChatRequest, FilePart, ImagePart, Message, UserPart } from "../../wire/canonical/request";
import { InvalidRequest } from "../../wire/canonical/wire-error";
import { defined } from "../../wire/dialects/common/defined";
import { documentText } from "../../wire/dialects/common/plain-content";
import { dataUrl, endingOf } from "../../wire/dialects/pictures/data-url";
import { kindOfFile, textOfFile } from "./file-kinds";

/**
 * Formats that take nearly all documents: https://developers.openai.com/api/docs/guides/file-inputs. What the others take
 * besides PDF is in the rules of models; every other text goes to them as text, and the rest is refused.
 */
const TAKE_ALL: ReadonlySet<string> = new Set(["openai-responses", "dify", "coze"]);

/** For whom a file is: the format, and the documents that the model takes. */
type Reader = { format: string; files: Rules["files"] };

function takes({ format, files = [] }: Reader, mediaType: string): boolean {
  if (TAKE_ALL.has(format)) return true;
  const kind = `${mediaType.slice(0, mediaType.indexOf("/"))}/*`;
  return files.includes(mediaType) || files.includes(kind);
}

/**
 * A file as this upstream reads it: with its media type, or as text where the model does not take that type. A picture is not sent as a
 * file.
 */
function readable(part: FilePart, reader: Reader): FilePart | ImagePart {
  const { source, name } = part;
  if (source.type !== "base64") return part;
  const mediaType = kindOfFile(source.mediaType, name, source.data);
  if (/^image\/(?!svg)/.test(mediaType)) {
    return defined({ type: "image" as const, source: { ...source, mediaType }, cache: part.cache });
  }
  const isMedia = /^(audio|video)\//.test(mediaType);
  if (mediaType === "application/pdf" || isMedia || takes(reader, mediaType)) {
    return mediaType === source.mediaType ? part : { ...part, source: { ...source, mediaType } };
  }
  const text = textOfFile(mediaType, source.data);
  if (text === null) throw unreadable(name, mediaType);
  return { ...part, source: { type: "text", text } };
}

function unreadable(name: string | undefined, mediaType: string): InvalidRequest {
  const what = name === undefined ? `a file of type ${mediaType}` : `the file ${JSON.stringify(name)} (${mediaType})`;
  const message = `${what} cannot be read by upstreams of this model: send it as PDF, or its content as text`;
  return new InvalidRequest(message, "messages", "unsupported_file");
}

/** The request with files that an upstream of this format can read. Throws InvalidRequest for one that cannot be. */
export function withReadableFiles(request: ChatRequest, format: string, { files }: Rules): ChatRequest {
  const isFile = (part: { type: string }): boolean => part.type === "file";
  if (!request.messages.some(({ content }) => content.some(isFile))) return request;
  const messages = request.messages.map((message): Message => {
    if ((message.role !== "user" && message.role !== "tool") || !message.content.some(isFile)) return message;
    const content = message.content.map(
      (part): UserPart => (part.type === "file" ? readable(part, { format, files }) : part),
    );
    return { ...message, content };
  });
  return { ...request, messages };
}

/** A part of a request of the caller's own format as its upstream can read it. */
const MENDED: Readonly<Record<string, (part: Json, files: Rules["files"]) => Json>> = {
  "openai-chat": mendChatFile,
  "anthropic-messages": mendDocument,
  "openai-responses": mendInputFile,
  "gemini-generate-content": mendInlineData,
};
/** Where requests have their parts. */
const LISTS = new Set(["messages", "input", "contents", "content", "parts", "output"]);

/** The request as it goes on to an upstream of the same format; the same object where nothing had to be changed. */
export function withReadableParts(json: Json, format: string, { files }: Rules): Json {
  const mend = MENDED[format];
  return mend ? mendIn(json, (part) => mend(part, files)) : json;
}

function mendIn(value: Json, mend: (part: Json) => Json): Json {
  let mended = mend(value);
  for (const key of Object.keys(mended)) {
    const list = mended[key];
    if (!LISTS.has(key) || !Array.isArray(list)) continue;
    const items = list.map((item: unknown) => {
      return typeof item === "object" && item !== null && !Array.isArray(item) ? mendIn(item as Json, mend) : item;
    });
    if (items.some((item, at) => item !== list[at])) mended = { ...mended, [key]: items };
  }
  return mended;
}

function mendChatFile(part: Json, files: Rules["files"]): Json {
  const file = readObject(part.file);
  const data = readText(file.file_data);
  if (part.type !== "file" || data === "" || /^https?:/i.test(data)) return part;
  const name = readText(file.filename) || undefined;
  const { mediaType, data: base64 } = splitData(data);
  const { type, source } = readable(
    { type: "file", ...(name ? { name } : {}), source: { type: "base64", mediaType, data: base64 } },
    { format: "openai-chat", files },
  );
  const { file: _, ...rest } = part;
  if (source.type === "text") return { ...rest, type: "text", text: documentText(source.text, name) };
  if (source.type !== "base64") return part;
  if (type === "image")
    return { ...rest, type: "image_url", image_url: { url: dataUrl(source.mediaType, source.data) } };
  const whole = dataUrl(source.mediaType, source.data);
  if (name !== undefined && whole.length === data.length && data.startsWith("data:")) return part;
  return { ...part, file: { ...file, filename: name ?? nameOf(source.mediaType), file_data: whole } };
}

function mendInputFile(part: Json): Json {
  const data = readText(part.file_data);
  if (part.type !== "input_file" || data === "") return part;
  const name = readText(part.filename) || undefined;
  if (name !== undefined && data.startsWith("data:") && !/^data:image\//i.test(data)) return part;
  const { mediaType, data: base64 } = splitData(data);
  const kind = kindOfFile(mediaType, name, base64);
  if (/^image\/(?!svg)/.test(kind)) {
    const { filename: _, file_data: __, ...rest } = part;
    return { ...rest, type: "input_image", image_url: dataUrl(kind, base64), detail: "auto" };
  }
  return { ...part, filename: name ?? nameOf(kind), file_data: dataUrl(kind, base64) };
}

function mendDocument(part: Json, files: Rules["files"]): Json {
  const { type, media_type: given, data } = readObject(part.source);
  if (part.type !== "document" || type !== "base64") return part;
  const name = readText(part.title) || undefined;
  const source = { type: "base64", mediaType: readText(given).toLowerCase(), data: readText(data) } as const;
  const { type: kind, source: mended } = readable(
    { type: "file", ...(name ? { name } : {}), source },
    { format: "anthropic-messages", files },
  );
  if (kind === "image" && mended.type === "base64") {
    const { title: _, context: __, citations: ___, ...rest } = part;
    return { ...rest, type: "image", source: { type: "base64", media_type: mended.mediaType, data: mended.data } };
  }
  if (mended.type === "text") return { ...part, source: { type: "text", media_type: "text/plain", data: mended.text } };
  if (mended.type !== "base64" || mended.mediaType === readText(given)) return part;
  return { ...part, source: { ...readObject(part.source), media_type: mended.mediaType } };
}

function mendInlineData(part: Json, files: Rules["files"]): Json {
  const key = part.inlineData === undefined ? "inline_data" : "inlineData";
  const given = readObject(part[key]);
  const mediaType = readText(given.mimeType ?? given.mime_type).toLowerCase();
  const data = readText(given.data);
  if (data === "" || /^(image|audio)\/|^application\/pdf$/.test(mediaType)) return part;
  const reader = { format: "gemini-generate-content", files };
  const { source } = readable({ type: "file", source: { type: "base64", mediaType, data } }, reader);
  if (source.type === "base64" && source.mediaType === mediaType) return part;
  const { [key]: _, ...rest } = part;
  if (source.type === "text") return { ...rest, text: documentText(source.text, undefined) };
  return source.type === "base64" ? { ...rest, [key]: { mimeType: source.mediaType, data } } : part;
}

/** What a field with data holds: a data URL, or base64 alone. */
function splitData(data: string): { mediaType: string; data: string } {
  const head = /^data:([^;,]*)[^,]{0,500},/i.exec(data.slice(0, 1_000));
  if (!head) return { mediaType: "", data };
  return { mediaType: (head[1] ?? "").toLowerCase(), data: data.slice(head[0].length) };
}

function nameOf(mediaType: string): string {
  return `document.${endingOf(mediaType)}`;
}
