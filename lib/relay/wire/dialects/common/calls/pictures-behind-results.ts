import type { Message, UserPart } from "../../../canonical/request";
import { isPlain } from "../plain-content";

type UserMessage = { role: "user"; content: UserPart[] };

/**
 * The messages with nothing but text in the results of tools. Their pictures follow in a message of the user behind all
 * results, so that the results stay together.
 */
export function withPicturesBehind(messages: readonly Message[]): readonly Message[] {
  if (!messages.some((message) => message.role === "tool" && othersOf(message.content).length > 0)) return messages;
  const written: Message[] = [];
  let behind: UserMessage = { role: "user", content: [] };
  const flush = (): void => {
    if (behind.content.length > 0) written.push(behind);
    behind = { role: "user", content: [] };
  };
  for (const message of messages) {
    if (message.role !== "tool") {
      flush();
      written.push(message);
      continue;
    }
    const others = othersOf(message.content);
    if (others.length === 0) {
      written.push(message);
      continue;
    }
    written.push({ ...message, content: message.content.filter(isPlain) });
    behind.content.push({ type: "text", text: `Attached to the result of ${message.toolCallId}:` }, ...others);
  }
  flush();
  return written;
}

function othersOf(parts: readonly UserPart[]): UserPart[] {
  return parts.filter((part) => !isPlain(part));
}
