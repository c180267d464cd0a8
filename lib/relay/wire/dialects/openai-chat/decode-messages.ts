import { type Json, readArray, readObject, readText } from "../../canonical/json";
import type { AssistantPart, MediaSource, Message, TextPart, UserPart } from "../../canonical/request";
import { InvalidRequest } from "../../canonical/wire-error";
import { defined } from "../common/defined";
import { readFileData, readSource } from "../pictures/data-url";
import { decodeAnnotations } from "./annotations";
import { argumentsText } from "./decode-response";
import { drawnPictures, pictureIn } from "./message-content";
import { decodeThoughts } from "./reasoning-details";

export function decodeMessages(json: Json): Message[] {
  const names = new Map<string, string>();
  return readArray(json.messages).map((value, i) => decodeMessage(readObject(value), `messages[${i}]`, names));
}

function decodeMessage(message: Json, at: string, toolNames: Map<string, string>): Message {
  const { role, content } = message;
  switch (role) {
    case "system":
    case "developer":
      return { role, content: decodeTexts(content, at) };
    case "user":
      return { role, content: decodeUserParts(content, at) };
    case "tool": {
      const id = readText(message.tool_call_id);
      if (id === "") throw new InvalidRequest(`${at}.tool_call_id must name a tool call`, `${at}.tool_call_id`);
      const toolName = toolNames.get(id);
      return defined({ role, toolCallId: id, toolName, content: decodeUserParts(content, at) });
    }
    case "assistant": {
      const parts = decodeAssistant(message, at);
      for (const part of parts) if (part.type === "tool-call") toolNames.set(part.id, part.name);
      return { role, content: parts };
    }
    default:
      throw new InvalidRequest(`${at}.role must be system, developer, user, assistant or tool`, `${at}.role`);
  }
}

/** A mark for the cache as Anthropic has it, without what needs a flag there. */
export function markOf({ cache_control: cache }: Json): Json | undefined {
  if (typeof cache !== "object" || cache === null) return undefined;
  const { type, ttl } = readObject(cache);
  return defined({ type, ttl });
}

function decodeText(part: Json): TextPart {
  return defined({ type: "text" as const, text: readText(part.text), cache: markOf(part) });
}

function partsOf(content: unknown, at: string): readonly Json[] {
  if (content === undefined || content === null || content === "") return [];
  if (typeof content === "string") return [{ type: "text", text: content }];
  if (!Array.isArray(content))
    throw new InvalidRequest(`${at}.content must be text or a list of parts`, `${at}.content`);
  return content.map(readObject);
}

function unknownPart(part: Json, at: string): InvalidRequest {
  return new InvalidRequest(
    `${at}.content has a part of the unknown type ${JSON.stringify(part.type)}`,
    `${at}.content`,
  );
}

function decodeTexts(content: unknown, at: string): TextPart[] {
  return partsOf(content, at).map((part) => {
    if (part.type !== "text") throw unknownPart(part, at);
    return decodeText(part);
  });
}

function decodeUserParts(content: unknown, at: string): UserPart[] {
  return partsOf(content, at).map((part) => {
    switch (part.type) {
      case "text":
        return decodeText(part);
      case "image_url":
        return decodeImage(part, at);
      case "input_audio": {
        const { format, data } = readObject(part.input_audio);
        return { type: "audio", format: readText(format), data: readText(data) };
      }
      case "file":
        return decodeFile(part, at);
      default:
        throw unknownPart(part, at);
    }
  });
}

function decodeImage(part: Json, at: string): UserPart {
  const image = readObject(part.image_url);
  const url = readText(part.image_url) || readText(image.url);
  if (url === "") throw new InvalidRequest(`${at}.content has a picture without a URL`, `${at}.content`);
  const detail = readText(image.detail) || undefined;
  return defined({ type: "image" as const, source: readSource(url, `${at}.content`), detail, cache: markOf(part) });
}

function decodeFile(part: Json, at: string): UserPart {
  const { filename, file_data: data, file_id: id } = readObject(part.file);
  const source: MediaSource | null =
    readText(data) !== ""
      ? readFileData(readText(data), `${at}.content`)
      : readText(id) !== ""
        ? { type: "id", id: readText(id) }
        : null;
  if (!source) throw new InvalidRequest(`${at}.content has a file without data`, `${at}.content`);
  return defined({ type: "file" as const, name: readText(filename) || undefined, source, cache: markOf(part) });
}

function decodeAssistant(message: Json, at: string): AssistantPart[] {
  const parts: AssistantPart[] = decodeThoughts(message);
  for (const part of partsOf(message.content, at)) {
    if (part.type === "text") parts.push(decodeText(part));
    else if (part.type === "refusal") parts.push({ type: "refusal", text: readText(part.refusal) });
    else if (pictureIn(part) !== null) parts.push({ type: "text", text: pictureIn(part) ?? "" });
    else throw unknownPart(part, at);
  }
  const drawn = drawnPictures(message);
  if (drawn !== "") parts.push({ type: "text", text: drawn });
  addCitations(parts, message.annotations);
  if (readText(message.refusal) !== "") parts.push({ type: "refusal", text: readText(message.refusal) });
  for (const call of readArray(message.tool_calls)) parts.push(decodeCall(readObject(call), at));
  return parts;
}

function addCitations(parts: AssistantPart[], annotations: unknown): void {
  const texts = parts.filter((part) => part.type === "text");
  const last = texts.at(-1);
  const citations = decodeAnnotations(annotations, texts.map(({ text }) => text).join("").length);
  if (last && citations.length > 0) last.citations = citations;
}

function decodeCall(call: Json, at: string): AssistantPart {
  const { name, arguments: values } = readObject(call.function);
  const id = readText(call.id);
  if (id === "" || readText(name) === "") {
    throw new InvalidRequest(`${at}.tool_calls must have an id and the name of a function`, `${at}.tool_calls`);
  }
  return { type: "tool-call", id, name: readText(name), arguments: argumentsText(values) };
}
