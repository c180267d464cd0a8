import type { Json } from "../../canonical/json";
import type { AssistantPart, FilePart, ImagePart, Message, UserPart } from "../../canonical/request";
import { countFrom } from "../common/citation-place";
import { defined } from "../common/defined";
import { documentText } from "../common/plain-content";
import { ownerOf } from "../common/signature";
import { dataUrl, endingOf } from "../pictures/data-url";
import { encodeAnnotations } from "./annotations";

/** Longer ids of calls are refused. */
const CALL_ID_MAX = 64;

/** Canonical messages as `instructions`, when they begin with a plain system message, and `input`. */
export function encodeMessages(messages: readonly Message[]): { instructions?: string; input: Json[] } {
  const [first, ...rest] = messages;
  const [only] = first?.content ?? [];
  const isPlain = first?.role === "system" && first.content.length === 1 && only?.type === "text" && only.text !== "";
  if (!isPlain || rest.length === 0) return { input: messages.flatMap(encodeMessage) };
  return { instructions: only.text, input: rest.flatMap(encodeMessage) };
}

function encodeMessage(message: Message): Json[] {
  switch (message.role) {
    case "assistant":
      return encodeAssistant(message.content);
    case "tool":
      return [
        {
          type: "function_call_output",
          call_id: encodeCallId(message.toolCallId),
          output: plainOr(message.content),
        },
      ];
    default:
      return [{ role: message.role, content: plainOr(message.content) }];
  }
}

/** A single text as it is, everything else as parts. */
function plainOr(parts: readonly UserPart[]): unknown {
  const [only] = parts;
  if (parts.length === 0) return "";
  return parts.length === 1 && only?.type === "text" ? only.text : parts.flatMap(encodePart);
}

function encodePart(part: UserPart): Json[] {
  switch (part.type) {
    case "text":
      return [{ type: "input_text", text: part.text }];
    case "image":
      return [encodeImage(part)];
    case "file":
      return [encodeFile(part)];
    case "audio":
      return [];
  }
}

function encodeImage({ source, detail = "auto" }: ImagePart): Json {
  if (source.type === "id") return { type: "input_image", file_id: source.id, detail };
  if (source.type === "text") return { type: "input_text", text: source.text };
  const url = source.type === "url" ? source.url : dataUrl(source.mediaType, source.data);
  return { type: "input_image", image_url: url, detail };
}

function encodeFile({ name, source }: FilePart): Json {
  switch (source.type) {
    case "text":
      return { type: "input_text", text: documentText(source.text, name) };
    case "id":
      return { type: "input_file", file_id: source.id };
    case "url":
      return defined({ type: "input_file", file_url: source.url, filename: name });
    case "base64": {
      const { mediaType, data } = source;
      if (mediaType.startsWith("image/")) return encodeImage({ type: "image", source });
      const filename = name ?? `document.${endingOf(mediaType)}`;
      return { type: "input_file", filename, file_data: dataUrl(mediaType, data) };
    }
  }
}

type Said = { text: string; annotations: Json[] };

function saidPart({ text, annotations }: Said): Json {
  return annotations.length > 0 ? { type: "output_text", text, annotations } : { type: "output_text", text };
}

function encodeAssistant(parts: readonly AssistantPart[]): Json[] {
  const items: Json[] = [];
  let said: Said[] = [];
  let before = 0;
  const say = (): void => {
    const [only] = said;
    if (said.length === 1 && only?.annotations.length === 0) items.push({ role: "assistant", content: only.text });
    else if (said.length > 0) items.push({ role: "assistant", content: said.map(saidPart) });
    said = [];
  };
  for (const part of parts) {
    if (part.type === "text" || part.type === "refusal") {
      const citations = part.type === "text" ? (part.citations ?? []) : [];
      if (part.text !== "")
        said.push({ text: part.text, annotations: encodeAnnotations(countFrom(citations, before)) });
      if (part.type === "text") before += part.text.length;
      continue;
    }
    say();
    items.push(...encodeOther(part));
  }
  say();
  return items;
}

type Other = Extract<AssistantPart, { type: "thinking" | "redacted-thinking" | "tool-call" }>;

/** Thoughts go without an id: it would name an item that is not stored. */
function encodeOther(part: Other): Json[] {
  switch (part.type) {
    case "thinking":
      if (ownerOf(part.signature ?? "") !== "openai") return [];
      return [
        {
          type: "reasoning",
          summary: [{ type: "summary_text", text: part.text }],
          encrypted_content: part.signature,
        },
      ];
    case "redacted-thinking":
      return ownerOf(part.data) === "openai" ? [{ type: "reasoning", summary: [], encrypted_content: part.data }] : [];
    case "tool-call": {
      const { id, name, arguments: values } = part;
      return [{ type: "function_call", call_id: encodeCallId(id), name, arguments: values }];
    }
  }
}

/** Keeps both ends, which is where ids differ. */
function encodeCallId(id: string): string {
  return id.length <= CALL_ID_MAX ? id : id.slice(0, CALL_ID_MAX / 2) + id.slice(-CALL_ID_MAX / 2);
}
