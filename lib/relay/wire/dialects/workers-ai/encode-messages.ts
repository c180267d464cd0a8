import type { Json } from "../../canonical/json";
import type { AssistantPart, Message, UserPart } from "../../canonical/request";
import { withPicturesBehind } from "../common/calls/pictures-behind-results";
import { defined } from "../common/defined";
import { namesOfCalls, plainText, plainTexts, saidText } from "../common/plain-content";
import { dataUrl } from "../pictures/data-url";

export function encodeMessages(given: readonly Message[]): Json[] {
  const messages = withPicturesBehind(given);
  const names = namesOfCalls(messages);
  return messages.map((message) => encodeMessage(message, names));
}

function encodeMessage(message: Message, names: ReadonlyMap<string, string>): Json {
  switch (message.role) {
    case "system":
    case "developer":
      return { role: "system", content: plainText(message.content) };
    case "user":
      return { role: "user", content: encodeContent(message.content) };
    case "assistant":
      return encodeAssistant(message.content);
    case "tool": {
      const name = message.toolName ?? names.get(message.toolCallId);
      return defined({ role: "tool", tool_call_id: message.toolCallId, name, content: plainText(message.content) });
    }
  }
}

/** Text alone is a string: models without pictures take nothing else. */
function encodeContent(parts: readonly UserPart[]): string | Json[] {
  return parts.some(({ type }) => type === "image") ? parts.flatMap(encodePart) : plainText(parts);
}

function encodePart(part: UserPart): Json[] {
  if (part.type !== "image") return plainTexts(part).map((text) => ({ type: "text", text }));
  const { source } = part;
  if (source.type !== "base64") return [];
  return [{ type: "image_url", image_url: { url: dataUrl(source.mediaType, source.data) } }];
}

function encodeAssistant(parts: readonly AssistantPart[]): Json {
  const calls = parts.flatMap((part) => (part.type === "tool-call" ? [encodeCall(part)] : []));
  return defined({
    role: "assistant",
    content: saidText(parts),
    tool_calls: calls.length > 0 ? calls : undefined,
  });
}

function encodeCall({ id, name, arguments: values }: Extract<AssistantPart, { type: "tool-call" }>): Json {
  return { id, type: "function", function: { name, arguments: values || "{}" } };
}
