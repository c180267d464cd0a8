import type { Json } from "../../canonical/json";
import type { AssistantPart, MediaSource, Message, UserPart } from "../../canonical/request";
import { withPicturesBehind } from "../common/calls/pictures-behind-results";
import { defined } from "../common/defined";
import { FILLER, plainText } from "../common/plain-content";
import { type ToolResult, takeTurns } from "../common/turns";
import { dataUrl } from "../pictures/data-url";

export function encodeMessages(messages: readonly Message[], system: string): Json[] {
  const encoded = takeTurns(withPicturesBehind(messages)).flatMap((turn): Json[] => {
    if (turn.role === "user") return [encodeUser(turn.content)];
    return turn.role === "assistant" ? [encodeAssistant(turn.content)] : turn.results.map(encodeResult);
  });
  return system === "" ? encoded : [{ Role: "system", Content: system }, ...encoded];
}

const filled = (text: string): string => (text.trim() === "" ? FILLER : text);

/** Parts are for pictures: there must be one, and a text. */
function encodeUser(parts: readonly UserPart[]): Json {
  if (!parts.some(({ type }) => type === "image")) return { Role: "user", Content: filled(plainText(parts)) };
  const contents = parts.flatMap((part): Json[] => {
    if (part.type === "image") return [{ Type: "image_url", ImageUrl: { Url: addressOf(part.source) } }];
    const text = plainText([part]);
    return text === "" ? [] : [{ Type: "text", Text: text }];
  });
  const hasText = contents.some(({ Type }) => Type === "text");
  return { Role: "user", Contents: hasText ? contents : [{ Type: "text", Text: FILLER }, ...contents] };
}

function addressOf(source: MediaSource): string {
  if (source.type === "url") return source.url;
  return source.type === "base64" ? dataUrl(source.mediaType, source.data) : "";
}

/** Beside calls, too, the provider refuses an empty text. */
const BESIDE_CALLS = " ";

function encodeAssistant(parts: readonly AssistantPart[]): Json {
  const text = parts.map((part) => (part.type === "text" || part.type === "refusal" ? part.text : "")).join("");
  const calls = parts.flatMap((part) =>
    part.type === "tool-call"
      ? [{ Id: part.id, Type: "function", Function: { Name: part.name, Arguments: part.arguments || "{}" } }]
      : [],
  );
  return defined({
    Role: "assistant",
    Content: calls.length > 0 ? text || BESIDE_CALLS : filled(text),
    ToolCalls: calls.length > 0 ? calls : undefined,
  });
}

function encodeResult({ toolCallId, content }: ToolResult): Json {
  return { Role: "tool", ToolCallId: toolCallId, Content: filled(plainText(content)) };
}
