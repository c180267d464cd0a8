import type { Json } from "../../canonical/json";
import type { AssistantPart, Message, TextPart, UserPart } from "../../canonical/request";
import { withPicturesBehind } from "../common/calls/pictures-behind-results";
import { defined } from "../common/defined";
import { FILLER, isBlank, openThoughts, plainText, plainTexts, saidText } from "../common/plain-content";
import { dataUrl } from "../pictures/data-url";

export function encodeMessages(given: readonly Message[]): Json[] {
  const messages = withPicturesBehind(given);
  const lastUser = messages.findLastIndex(({ role }) => role === "user");
  return messages.flatMap((message, at) => encodeMessage(message, at > lastUser));
}

function encodeMessage(message: Message, isSinceUser: boolean): Json[] {
  switch (message.role) {
    case "system":
    case "developer":
      return encodeSystem(message.content);
    case "user":
      return [{ role: "user", content: encodeContent(message.content) }];
    case "assistant":
      return [encodeAssistant(message.content, isSinceUser)];
    case "tool":
      return [{ role: "tool", tool_call_id: message.toolCallId, content: plainText(message.content) || FILLER }];
  }
}

function encodeSystem(parts: readonly TextPart[]): Json[] {
  const text = plainText(parts);
  return text === "" ? [] : [{ role: "system", content: text }];
}

function encodeContent(parts: readonly UserPart[]): string | Json[] {
  const encoded = parts.flatMap(encodePart);
  const [only] = encoded;
  if (!only) return FILLER;
  return encoded.length === 1 && typeof only.text === "string" ? only.text : encoded;
}

function encodePart(part: UserPart): Json[] {
  if (part.type !== "image") return plainTexts(part).map(textItem);
  const { source, detail } = part;
  if (source.type === "url") return [imageItem(source.url, detail)];
  return source.type === "base64" ? [imageItem(dataUrl(source.mediaType, source.data), detail)] : [];
}

const DETAILS = ["auto", "low", "high"];

function imageItem(url: string, detail: string | undefined): Json {
  const known = detail !== undefined && DETAILS.includes(detail) ? detail : undefined;
  return { type: "image_url", image_url: defined({ url, detail: known }) };
}

function textItem(text: string): Json {
  return { type: "text", text };
}

/** Text beside calls is the plan that the model had of them. */
function encodeAssistant(parts: readonly AssistantPart[], isSinceUser: boolean): Json {
  const calls = parts.flatMap((part) => (part.type === "tool-call" ? [encodeCall(part)] : []));
  const text = saidText(parts);
  const said = isBlank(text) ? "" : text;
  const thoughts = isSinceUser ? openThoughts(parts) : "";
  const thinking = thoughts === "" ? [] : [{ type: "thinking", thinking: thoughts }];
  if (calls.length === 0) {
    const content = said || FILLER;
    return { role: "assistant", content: thinking.length > 0 ? [...thinking, textItem(content)] : content };
  }
  return defined({
    role: "assistant",
    content: thinking.length > 0 ? thinking : undefined,
    tool_plan: said || undefined,
    tool_calls: calls,
  });
}

function encodeCall({ id, name, arguments: values }: Extract<AssistantPart, { type: "tool-call" }>): Json {
  return { id, type: "function", function: { name, arguments: values || "{}" } };
}
