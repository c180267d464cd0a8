import type { ChatRequest, UserPart } from "../canonical/request";
import { documentText } from "./plain-document";

/** The text of parts, for formats that take nothing else; other parts must have been refused. */
export function textOf(parts: readonly UserPart[]): string {
  const texts: string[] = [];
  for (const part of parts) {
    if (part.type === "text") texts.push(part.text);
    else if (part.type === "file" && part.source.type === "text") texts.push(documentText(part.source.text, part.name));
  }
  return texts.join("\n");
}

/** Whether anything in a conversation is not text, in messages or in results of tools. */
export function hasMedia({ messages }: ChatRequest): boolean {
  return messages.some(({ content }) =>
    content.some(
      (part) => part.type === "image" || part.type === "audio" || (part.type === "file" && part.source.type !== "text"),
    ),
  );
}

/** Messages of one role in a row become one. */
export function joinTurns<Role extends string>(
  turns: readonly { role: Role; content: string }[],
): { role: Role; content: string }[] {
  const joined: { role: Role; content: string }[] = [];
  for (const turn of turns) {
    const last = joined.at(-1);
    if (last?.role === turn.role) last.content += `\n\n${turn.content}`;
    else joined.push({ ...turn });
  }
  return joined;
}
