import type { Json } from "../../canonical/json";
import type { Message, UserPart } from "../../canonical/request";
import { parseJsonObject } from "../common/json-text";
import { isBlank } from "../common/plain-content";
import { encodeMedia } from "./media";
import { isNewest } from "./models";
import { ownSignature } from "./signature";
import { writeParts } from "./write-parts";

type Role = "user" | "model";
type Content = { role: Role; parts: Json[] };
type ToolMessage = Extract<Message, { role: "tool" }>;

/** Stands for nothing, because empty contents are refused. */
const NOTHING: Json = { text: "..." };

/** What Google's documentation gives for a call that has no signature, because another model made it. */
const UNSIGNED = "skip_thought_signature_validator";

/** Merges messages into alternating contents that start with the user. Results of tools come first in theirs. */
export function encodeMessages(messages: readonly Message[], model: string): Content[] {
  const contents: Content[] = [];
  const names = callNames(messages);
  for (const message of messages) {
    if (message.role === "system" || message.role === "developer") continue;
    const role: Role = message.role === "assistant" ? "model" : "user";
    const parts = encodeParts(message, model, names);
    const last = contents.at(-1);
    if (last?.role === role) last.parts.push(...parts);
    else contents.push({ role, parts });
  }
  if (contents[0]?.role !== "user") contents.unshift({ role: "user", parts: [] });
  return contents.map(({ role, parts }) => ({ role, parts: parts.length === 0 ? [NOTHING] : resultsFirst(parts) }));
}

function resultsFirst(parts: readonly Json[]): Json[] {
  const isResult = (part: Json): boolean => part.functionResponse !== undefined;
  return [...parts.filter(isResult), ...parts.filter((part) => !isResult(part))];
}

/** Names of the functions by the ids of their calls. */
function callNames(messages: readonly Message[]): Map<string, string> {
  const names = new Map<string, string>();
  for (const message of messages) {
    if (message.role !== "assistant") continue;
    for (const part of message.content) if (part.type === "tool-call") names.set(part.id, part.name);
  }
  return names;
}

function encodeParts(message: Message, model: string, names: ReadonlyMap<string, string>): Json[] {
  switch (message.role) {
    case "user":
      return message.content.flatMap(encodeUserPart);
    case "assistant":
      return writeParts(message.content, {
        sign: ownSignature,
        keepsThoughts: false,
        ...(isNewest(model) ? { unsigned: UNSIGNED } : {}),
      });
    case "tool":
      return encodeResult(message, model, message.toolName ?? names.get(message.toolCallId) ?? message.toolCallId);
    default:
      return [];
  }
}

function encodeUserPart(part: UserPart): Json[] {
  if (part.type === "text") return isBlank(part.text) ? [] : [{ text: part.text }];
  return [encodeMedia(part)];
}

/** Before Gemini 3, pictures of a result stand behind the results. */
function encodeResult({ toolCallId: id, content, isError }: ToolMessage, model: string, name: string): Json[] {
  const written = content.flatMap((part) => (part.type === "text" ? [] : [encodeMedia(part)]));
  const texts = content.flatMap((part) => (part.type === "text" ? [part.text] : []));
  texts.push(...written.flatMap(({ text }) => (typeof text === "string" ? [text] : [])));
  const media = written.filter(({ text }) => text === undefined);
  const takesMedia = isNewest(model);
  const isWithin = ({ inlineData }: Json): boolean => takesMedia && inlineData !== undefined;
  const within = media.filter(isWithin);
  const behind = media.filter((part) => !isWithin(part));
  const response = encodeResponse(texts.join("\n"), isError === true);
  const parts = within.length > 0 ? { parts: within } : {};
  const result = { functionResponse: { id, name, response, ...parts } };
  return behind.length === 0 ? [result] : [result, { text: `Attached to the result of ${id}:` }, ...behind];
}

function encodeResponse(text: string, isError: boolean): Json {
  if (isError) return { error: text };
  return parseJsonObject(text) ?? { output: text };
}
