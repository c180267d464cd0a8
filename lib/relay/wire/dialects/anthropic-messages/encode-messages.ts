import type { Json } from "../../canonical/json";
import type { AssistantPart, MediaSource, Message, UserPart } from "../../canonical/request";
import { defined } from "../common/defined";
import { parseJsonObject } from "../common/json-text";
import { isBlank } from "../common/plain-content";
import { isSigned } from "./thinking";

type Role = "user" | "assistant";
type Turn = { role: Role; content: Json[] };

/** Placeholder, because Anthropic refuses empty messages, and texts of white space alone. */
const NOTHING: Json = { type: "text", text: "..." };

/**
 * Merges messages into alternating user and assistant turns that start with the user. Tool results come first in their turn.
 * `takesOpenThoughts`: thoughts that nobody signed go back, too.
 */
export function encodeMessages(messages: readonly Message[], takesOpenThoughts: boolean): Json[] {
  const turns: Turn[] = [];
  for (const message of messages) {
    if (message.role === "system" || message.role === "developer") continue;
    const role: Role = message.role === "assistant" ? "assistant" : "user";
    const content = encodeContent(message, takesOpenThoughts);
    const last = turns.at(-1);
    if (last?.role === role) last.content.push(...content);
    else turns.push({ role, content });
  }
  if (turns[0]?.role !== "user") turns.unshift({ role: "user", content: [] });
  trimPrefill(turns.at(-1));
  return turns.map(encodeTurn);
}

function encodeTurn({ role, content }: Turn): Json {
  if (content.length === 0) return { role, content: [NOTHING] };
  const isResult = ({ type }: Json): boolean => type === "tool_result";
  const sorted = [...content.filter(isResult), ...content.filter((block) => !isResult(block))];
  const [only] = sorted;
  const isPlain = sorted.length === 1 && only?.type === "text" && only.cache_control === undefined;
  return { role, content: isPlain ? only?.text : sorted };
}

/** Anthropic refuses trailing white space in a final assistant message, which the model is to continue. */
function trimPrefill(last: Turn | undefined): void {
  const block = last?.content.at(-1);
  if (last?.role !== "assistant" || typeof block?.text !== "string") return;
  block.text = block.text.trimEnd();
  if (block.text === "") last.content.pop();
}

function encodeContent(message: Message, takesOpenThoughts: boolean): Json[] {
  switch (message.role) {
    case "user":
      return message.content.flatMap(encodeUserPart);
    case "assistant":
      return message.content.flatMap((part) => encodeAssistantPart(part, takesOpenThoughts));
    case "tool":
      return [encodeResult(message)];
    default:
      return [];
  }
}

function encodeResult({ toolCallId, content, isError }: Extract<Message, { role: "tool" }>): Json {
  const blocks = content.flatMap(encodeUserPart);
  const [only] = blocks;
  const isPlain = blocks.length === 1 && only?.type === "text" && only.cache_control === undefined;
  return defined({
    type: "tool_result",
    tool_use_id: toolUseId(toolCallId),
    content: blocks.length === 0 ? undefined : isPlain ? only?.text : blocks,
    is_error: isError,
  });
}

/** Anthropic allows only letters, digits, _ and -. */
function toolUseId(id: string): string {
  return id.replace(/[^\w-]/g, "_");
}

function encodeUserPart(part: UserPart): Json[] {
  switch (part.type) {
    case "text":
      return isBlank(part.text) ? [] : [defined({ type: "text", text: part.text, cache_control: part.cache })];
    case "image":
      return [defined({ type: "image", source: encodeSource(part.source), cache_control: part.cache })];
    case "file": {
      const { name, source, cache } = part;
      const isImage = source.type === "base64" && source.mediaType.startsWith("image/");
      if (isImage) return [defined({ type: "image", source: encodeSource(source), cache_control: cache })];
      return [defined({ type: "document", title: name, source: encodeSource(source), cache_control: cache })];
    }
    case "audio":
      return [];
  }
}

function encodeSource(source: MediaSource): Json {
  switch (source.type) {
    case "url":
      return { type: "url", url: source.url };
    case "base64": {
      const mediaType = source.mediaType === "image/jpg" ? "image/jpeg" : source.mediaType;
      return { type: "base64", media_type: mediaType, data: source.data };
    }
    case "text":
      return { type: "text", media_type: "text/plain", data: source.text };
    case "id":
      return { type: "file", file_id: source.id };
  }
}

function encodeAssistantPart(part: AssistantPart, takesOpenThoughts: boolean): Json[] {
  switch (part.type) {
    case "text":
      return isBlank(part.text) ? [] : [defined({ type: "text", text: part.text, cache_control: part.cache })];
    case "refusal":
      return isBlank(part.text) ? [] : [{ type: "text", text: part.text }];
    case "thinking":
      if (isSigned(part)) return [{ type: "thinking", thinking: part.text, signature: part.signature }];
      if (!takesOpenThoughts || part.signature !== undefined) return [];
      return [{ type: "thinking", thinking: part.text, signature: "" }];
    case "redacted-thinking":
      return isSigned(part) ? [{ type: "redacted_thinking", data: part.data }] : [];
    case "tool-call": {
      const { id, name, arguments: values, cache } = part;
      return [defined({ type: "tool_use", id: toolUseId(id), name, input: readInput(values), cache_control: cache })];
    }
  }
}

/**
 * Tool call arguments as the object that Anthropic requires. Text that is not a JSON object is kept under the key
 * `arguments`.
 */
export function readInput(values: string): Json {
  if (values.trim() === "") return {};
  return parseJsonObject(values) ?? { arguments: values };
}
