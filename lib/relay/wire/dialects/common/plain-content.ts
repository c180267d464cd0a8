import type { AssistantPart, Message, UserPart } from "../../canonical/request";

/** A document of plain text, for upstreams that take only text. */
export function documentText(text: string, name: string | undefined): string {
  const title = name === undefined ? "" : ` title=${JSON.stringify(name)}`;
  return `<document${title}>\n${text}\n</document>`;
}

/** For what some providers want and the caller did not give: a text that is not empty, a turn between two others. */
export const FILLER = "...";

/** Whether it is empty or white space alone, which many providers refuse. */
export function isBlank(text: string): boolean {
  return text.trim() === "";
}

/** The texts and documents of plain text, each on lines of its own. */
export function plainText(parts: readonly UserPart[]): string {
  return parts.flatMap(plainTexts).join("\n");
}

/** The text of a text or of a document of plain text; nothing for other parts and blank texts. */
export function plainTexts(part: UserPart): string[] {
  if (part.type === "text") return isBlank(part.text) ? [] : [part.text];
  return part.type === "file" && part.source.type === "text" ? [documentText(part.source.text, part.name)] : [];
}

/** Whether it is a text or a document of plain text. */
export function isPlain(part: UserPart): boolean {
  return part.type === "text" || (part.type === "file" && part.source.type === "text");
}

/** What the model said: text, and refusals as text. */
export function saidText(parts: readonly AssistantPart[]): string {
  return parts.map((part) => (part.type === "text" || part.type === "refusal" ? part.text : "")).join("");
}

/** Thoughts that nobody signed. */
export function openThoughts(parts: readonly AssistantPart[]): string {
  return parts.map((part) => (part.type === "thinking" && part.signature === undefined ? part.text : "")).join("");
}

/** The names of functions by the ids of their calls. */
export function namesOfCalls(messages: readonly Message[]): ReadonlyMap<string, string> {
  const names = new Map<string, string>();
  for (const message of messages) {
    if (message.role !== "assistant") continue;
    for (const part of message.content) if (part.type === "tool-call") names.set(part.id, part.name);
  }
  return names;
}
