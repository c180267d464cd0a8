import type { Rules } from "../../../../model-rules/schema";
import type { Json } from "../../canonical/json";
import type { AssistantPart, FilePart, MediaSource, Message, UserPart } from "../../canonical/request";
import { defined } from "../common/defined";
import { documentText } from "../common/plain-content";
import { dataUrl } from "../pictures/data-url";

/** `thoughtsBack`: which thoughts before the last message of the user the model wants back. */
export function encodeMessages(messages: readonly Message[], thoughtsBack?: Rules["thoughtsBack"]): Json[] {
  const encoded: Json[] = [];
  // Tool results can only be text. Their images and files follow in a user message after all results, so that the
  // results stay together.
  let attachments: Json[] = [];
  const withThoughts = thoughtsThatGoBack(messages, thoughtsBack);
  messages.forEach((message, i) => {
    if (message.role === "tool") {
      encoded.push({ role: "tool", tool_call_id: message.toolCallId, content: textOf(message.content) });
      attachments.push(...attachmentsOf(message.toolCallId, message.content));
      return;
    }
    if (attachments.length > 0) encoded.push({ role: "user", content: attachments });
    attachments = [];
    encoded.push(encodeMessage(message, withThoughts(i)));
  });
  if (attachments.length > 0) encoded.push({ role: "user", content: attachments });
  return encoded;
}

/** A turn reaches from one message of the user to the next. */
export function thoughtsThatGoBack(
  messages: readonly Message[],
  thoughtsBack: Rules["thoughtsBack"],
): (index: number) => boolean {
  if (thoughtsBack === "all") return () => true;
  const turns = new Set([messages.findLastIndex(({ role }) => role === "user")]);
  let turn = -1;
  const turnOf = messages.map((message, i) => {
    if (message.role === "user") turn = i;
    else if (thoughtsBack === "calls" && message.role === "assistant" && hasCalls(message.content)) turns.add(turn);
    return turn;
  });
  return (index) => turns.has(turnOf[index] ?? -1);
}

const hasCalls = (parts: readonly AssistantPart[]): boolean => parts.some(({ type }) => type === "tool-call");

function encodeMessage(message: Exclude<Message, { role: "tool" }>, sendsThoughts: boolean): Json {
  if (message.role === "assistant") return encodeAssistant(message.content, sendsThoughts);
  const [only] = message.content;
  if (message.content.length === 1 && only?.type === "text") return { role: message.role, content: only.text };
  return { role: message.role, content: message.content.map(encodePart) };
}

function encodePart(part: UserPart): Json {
  switch (part.type) {
    case "text":
      return { type: "text", text: part.text };
    case "image":
      return { type: "image_url", image_url: defined({ url: addressOf(part.source), detail: part.detail }) };
    case "audio":
      return { type: "input_audio", input_audio: { data: part.data, format: part.format } };
    case "file":
      return encodeFile(part);
  }
}

function addressOf(source: MediaSource): string {
  if (source.type === "url") return source.url;
  return source.type === "base64" ? dataUrl(source.mediaType, source.data) : "";
}

function encodeFile({ name, source }: FilePart): Json {
  if (source.type === "text") return { type: "text", text: documentText(source.text, name) };
  if (source.type === "id") return { type: "file", file: { file_id: source.id } };
  return { type: "file", file: { filename: name ?? "document.pdf", file_data: addressOf(source) } };
}

function textOf(parts: readonly UserPart[]): string {
  return parts
    .flatMap((part) => {
      if (part.type === "text") return [part.text];
      return part.type === "file" && part.source.type === "text" ? [documentText(part.source.text, part.name)] : [];
    })
    .join("\n");
}

function attachmentsOf(toolCallId: string, parts: readonly UserPart[]): Json[] {
  const others = parts.filter((part) => part.type !== "text" && !(part.type === "file" && part.source.type === "text"));
  if (others.length === 0) return [];
  return [{ type: "text", text: `Attached to the result of ${toolCallId}:` }, ...others.map(encodePart)];
}

function encodeAssistant(parts: readonly AssistantPart[], sendsThoughts: boolean): Json {
  const join = (type: "text" | "refusal" | "thinking"): string | undefined => {
    const texts = parts.flatMap((part) => (part.type === type && "text" in part ? [part.text] : []));
    return texts.length > 0 ? texts.join("") : undefined;
  };
  const isSigned = parts.some((part) => part.type === "thinking" && part.signature !== undefined);
  const calls = parts.flatMap((part) => (part.type === "tool-call" ? [encodeCall(part)] : []));
  return defined({
    role: "assistant",
    content: join("text") ?? (calls.length > 0 ? null : ""),
    reasoning_content: sendsThoughts && !isSigned ? join("thinking") : undefined,
    refusal: join("refusal"),
    tool_calls: calls.length > 0 ? calls : undefined,
  });
}

function encodeCall({ id, name, arguments: values }: Extract<AssistantPart, { type: "tool-call" }>): Json {
  return { id, type: "function", function: { name, arguments: values } };
}
