import type { Json } from "../../canonical/json";
import type { AssistantPart, MediaSource, Message, UserPart } from "../../canonical/request";
import { withPicturesBehind } from "../common/calls/pictures-behind-results";
import { defined } from "../common/defined";
import { documentText, FILLER, isBlank, plainText } from "../common/plain-content";
import { withRemarks } from "../common/turns";
import { dataUrl } from "../pictures/data-url";

/** `isMultimodal`: the content of a message is a list of parts, not a text. */
export function encodeMessages(messages: readonly Message[], isMultimodal: boolean): Json[] {
  const content = (text: string): unknown => (isMultimodal ? [{ text }] : text);
  const told = isMultimodal ? withPicturesBehind(messages) : withRemarks(messages);
  const encode = (message: Message): Json => {
    switch (message.role) {
      case "system":
      case "developer":
        return { role: "system", content: content(message.content.map(({ text }) => text).join("\n")) };
      case "user":
        return {
          role: "user",
          content: isMultimodal ? encodeParts(message.content) : plainText(message.content) || FILLER,
        };
      case "tool":
        return { role: "tool", tool_call_id: message.toolCallId, content: content(plainText(message.content)) };
      case "assistant":
        return encodeAssistant(message.content, content);
    }
  };
  return told.map(encode);
}

function encodeParts(parts: readonly UserPart[]): Json[] {
  const filled = parts.filter((part) => part.type !== "text" || !isBlank(part.text));
  return filled.length === 0 ? [{ text: FILLER }] : filled.map(encodePart);
}

function encodePart(part: UserPart): Json {
  switch (part.type) {
    case "text":
      return { text: part.text };
    case "image":
      return { image: addressOf(part.source) };
    case "audio":
      return { audio: dataUrl(`audio/${part.format}`, part.data) };
    case "file":
      return { text: part.source.type === "text" ? documentText(part.source.text, part.name) : "" };
  }
}

function addressOf(source: MediaSource): string {
  if (source.type === "url") return source.url;
  return source.type === "base64" ? dataUrl(source.mediaType, source.data) : "";
}

function encodeAssistant(parts: readonly AssistantPart[], content: (text: string) => unknown): Json {
  const text = parts.map((part) => (part.type === "text" || part.type === "refusal" ? part.text : "")).join("");
  const calls = parts.flatMap((part) =>
    part.type === "tool-call"
      ? [{ id: part.id, type: "function", function: { name: part.name, arguments: part.arguments } }]
      : [],
  );
  return defined({
    role: "assistant",
    content: content(text),
    tool_calls: calls.length > 0 ? calls.map((call, index) => ({ ...call, index })) : undefined,
  });
}
