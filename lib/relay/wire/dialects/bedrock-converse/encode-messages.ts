import type { Json } from "../../canonical/json";
import type { AssistantPart, Message, UserPart } from "../../canonical/request";
import { parseJsonObject } from "../common/json-text";
import { cachePoint } from "./cache-point";
import { createMediaEncoder, type EncodeMedia } from "./media";
import { ownSignature } from "./signature";

type Role = "user" | "assistant";
type Turn = { role: Role; content: Json[] };
type Writing = { model: string; encodeMedia: EncodeMedia };

/** Stands for nothing, because empty messages and blank texts are refused. */
const NOTHING: Json = { text: "..." };

/** Merges messages into alternating turns that start with the user. Results of tools come first in theirs. */
export function encodeMessages(messages: readonly Message[], model: string): Json[] {
  const turns: Turn[] = [];
  const writing = { model, encodeMedia: createMediaEncoder() };
  for (const message of messages) {
    if (message.role === "system" || message.role === "developer") continue;
    const role: Role = message.role === "assistant" ? "assistant" : "user";
    const content = encodeContent(message, writing);
    const last = turns.at(-1);
    if (last?.role === role) last.content.push(...content);
    else turns.push({ role, content });
  }
  if (turns[0]?.role !== "user") turns.unshift({ role: "user", content: [] });
  return turns.map(finishTurn);
}

function finishTurn({ role, content }: Turn): Json {
  const isResult = ({ toolResult }: Json): boolean => toolResult !== undefined;
  const sorted = [...content.filter(isResult), ...content.filter((block) => !isResult(block))];
  const hasText = sorted.some(({ text }) => text !== undefined);
  // A document needs a text beside it.
  const needsText = !hasText && sorted.some(({ document }) => document !== undefined);
  const isEmpty = sorted.every((block) => block.cachePoint !== undefined);
  return { role, content: isEmpty || needsText ? [...sorted, NOTHING] : sorted };
}

function encodeContent(message: Message, writing: Writing): Json[] {
  switch (message.role) {
    case "user":
      return message.content.flatMap((part) => encodeUserPart(part, writing));
    case "assistant":
      return message.content.flatMap((part) => encodeAssistantPart(part, writing.model));
    case "tool":
      return encodeResult(message, writing);
    default:
      return [];
  }
}

function encodeUserPart(part: UserPart, { model, encodeMedia }: Writing): Json[] {
  const block = part.type === "text" ? textBlock(part.text) : encodeMedia(part);
  if (!block) return [];
  return [block, ...("cache" in part ? cachePoint(part.cache, model) : [])];
}

function textBlock(text: string): Json | null {
  return text.trim() === "" ? null : { text };
}

function encodeResult(message: Extract<Message, { role: "tool" }>, writing: Writing): Json[] {
  const blocks = message.content.flatMap((part) => encodeUserPart(part, writing));
  const content = blocks.filter((block) => block.cachePoint === undefined);
  const toolResult = {
    toolUseId: toolUseId(message.toolCallId),
    content: content.length > 0 ? content : [NOTHING],
    ...(message.isError === undefined ? {} : { status: message.isError ? "error" : "success" }),
  };
  return [{ toolResult }, ...blocks.filter((block) => block.cachePoint !== undefined)];
}

/** Only letters, digits, _ and - are allowed, and 64 of them. The end of an id is what tells it from others. */
function toolUseId(id: string): string {
  return id.replace(/[^\w-]/g, "_").slice(-64) || "_";
}

function encodeAssistantPart(part: AssistantPart, model: string): Json[] {
  switch (part.type) {
    case "text": {
      const block = textBlock(part.text);
      return block ? [block, ...cachePoint(part.cache, model)] : [];
    }
    case "refusal": {
      const block = textBlock(part.text);
      return block ? [block] : [];
    }
    case "thinking": {
      const signature = part.signature === undefined ? null : ownSignature(part.signature);
      return signature === null ? [] : [{ reasoningContent: { reasoningText: { text: part.text, signature } } }];
    }
    case "redacted-thinking": {
      const redactedContent = ownSignature(part.data);
      return redactedContent === null ? [] : [{ reasoningContent: { redactedContent } }];
    }
    case "tool-call":
      return [{ toolUse: { toolUseId: toolUseId(part.id), name: part.name, input: readInput(part.arguments) } }];
  }
}

/** Text that is not a JSON object is kept under the key `arguments`. */
function readInput(values: string): Json {
  if (values.trim() === "") return {};
  return parseJsonObject(values) ?? { arguments: values };
}
