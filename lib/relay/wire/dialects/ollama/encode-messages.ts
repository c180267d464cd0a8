import type { Rules } from "../../../../model-rules/schema";
import type { Json } from "../../canonical/json";
import type { AssistantPart, Message, UserPart } from "../../canonical/request";
import { defined } from "../common/defined";
import { parseJsonObject } from "../common/json-text";
import { namesOfCalls, openThoughts, plainText, saidText } from "../common/plain-content";
import { thoughtsThatGoBack } from "../openai-chat/encode-messages";

/** `thoughtsBack`: which thoughts before the last message of the user the model wants back. */
export function encodeMessages(messages: readonly Message[], thoughtsBack: Rules["thoughtsBack"]): Json[] {
  const names = namesOfCalls(messages);
  const goBack = thoughtsThatGoBack(messages, thoughtsBack);
  return messages.map((message, at) => encodeMessage(message, names, goBack(at)));
}

function encodeMessage(message: Message, names: ReadonlyMap<string, string>, withThoughts: boolean): Json {
  switch (message.role) {
    case "system":
    case "developer":
      return { role: "system", content: plainText(message.content) };
    case "user":
      return { role: "user", ...encodeContent(message.content) };
    case "assistant":
      return encodeAssistant(message.content, withThoughts);
    case "tool": {
      const name = message.toolName ?? names.get(message.toolCallId);
      return defined({ role: "tool", ...encodeContent(message.content), tool_name: name });
    }
  }
}

function encodeContent(parts: readonly UserPart[]): Json {
  const images = parts.flatMap((part) =>
    part.type === "image" && part.source.type === "base64" ? [part.source.data] : [],
  );
  return defined({ content: plainText(parts), images: images.length > 0 ? images : undefined });
}

function encodeAssistant(parts: readonly AssistantPart[], withThoughts: boolean): Json {
  const calls = parts.flatMap((part) => (part.type === "tool-call" ? [encodeCall(part)] : []));
  return defined({
    role: "assistant",
    content: saidText(parts),
    thinking: (withThoughts && openThoughts(parts)) || undefined,
    tool_calls: calls.length > 0 ? calls : undefined,
  });
}

function encodeCall({ name, arguments: text }: Extract<AssistantPart, { type: "tool-call" }>): Json {
  const given = parseJsonObject(text);
  return { function: { name, arguments: given ?? (text.trim() === "" ? {} : { input: text }) } };
}
