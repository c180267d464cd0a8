import type { Json } from "../../canonical/json";
import type { ChatRequest, FilePart, ImagePart, Message, UserPart } from "../../canonical/request";
import { FILLER, headedText, messageText, systemText } from "../common/query-text";
import { namedDataUrl } from "../pictures/data-url";
import { MESSAGES_MAX } from "./limits";

type Said = Extract<Message, { role: "user" | "assistant" }>;

/** The conversation as messages of the user and the bot. The last one is the question. */
export function encodeMessages(request: ChatRequest): Json[] {
  const instructions = systemText(request);
  const said = request.messages.filter((message): message is Said => isSaid(message));
  const encoded = said.map(encodeMessage).filter((message) => message !== null);
  if (instructions !== "") encoded.unshift(textMessage("user", instructions));
  if (said.at(-1)?.role !== "user" || encoded.length === 0) encoded.push(textMessage("user", FILLER));
  return encoded.length <= MESSAGES_MAX ? encoded : shortened(request, encoded);
}

function isSaid({ role }: Message): boolean {
  return role === "user" || role === "assistant";
}

/** Pictures of the earliest messages are left out. */
function shortened({ messages }: ChatRequest, encoded: readonly Json[]): Json[] {
  const kept = encoded.slice(1 - MESSAGES_MAX);
  const earlier = messages.slice(0, Math.max(0, messages.length - kept.length));
  return [textMessage("user", headedText(earlier)), ...kept];
}

function textMessage(role: Said["role"], content: string): Json {
  return { role, type: role === "user" ? "question" : "answer", content, content_type: "text" };
}

/** Null = there is nothing in it. */
function encodeMessage(message: Said): Json | null {
  const text = messageText(message);
  const media = message.role === "user" ? message.content.filter(isMedia) : [];
  if (media.length === 0) return text === "" ? null : textMessage(message.role, text);
  const items = [{ type: "text", text: text || FILLER }, ...media.map(encodeMedia)];
  return { role: "user", type: "question", content: JSON.stringify(items), content_type: "object_string" };
}

function isMedia(part: UserPart): part is ImagePart | FilePart {
  return part.type === "image" || (part.type === "file" && part.source.type !== "text");
}

/** What must be uploaded is a data URL in place of its id. */
function encodeMedia(part: ImagePart | FilePart): Json {
  const { type, source } = part;
  if (source.type === "url") return { type, file_url: source.url };
  const name = part.type === "file" ? part.name : undefined;
  return { type, file_id: source.type === "base64" ? namedDataUrl(source.mediaType, name, source.data) : "" };
}
