import type { ChatRequest } from "../../canonical/request";

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
