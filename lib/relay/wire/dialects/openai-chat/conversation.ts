import { type Json, readArray, readObject, readText } from "../../canonical/json";
import type { Conversation, Opening } from "../dialect";

/** Instructions stand at the beginning; what comes later is not looked at. */
const INSTRUCTIONS_MAX = 8;

export function readConversation(json: Json): Conversation {
  return {
    cacheKey: readText(json.prompt_cache_key),
    user: readText(json.user),
    opening: () => readOpening(readArray(json.messages)),
  };
}

function readOpening(messages: readonly unknown[]): Opening {
  const instructions: string[] = [];
  for (const message of messages.slice(0, INSTRUCTIONS_MAX)) {
    const { role, content } = readObject(message);
    if (role === "user") return { instructions, question: textsOf(content) };
    instructions.push(...textsOf(content));
  }
  return { instructions, question: [] };
}

function textsOf(content: unknown): string[] {
  if (typeof content === "string") return [content];
  return readArray(content).map((part) => readText(readObject(part).text));
}
