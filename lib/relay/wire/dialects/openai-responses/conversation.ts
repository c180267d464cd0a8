import { type Json, readText } from "../../canonical/json";
import type { Conversation, Opening } from "../dialect";
import { itemParts, itemsOf, partText, typeOf } from "./items";

/** Instructions stand at the beginning; what comes later is not looked at. */
const INSTRUCTIONS_MAX = 8;

export function readConversation(json: Json): Conversation {
  return {
    cacheKey: readText(json.prompt_cache_key),
    user: readText(json.safety_identifier) || readText(json.user),
    opening: () => readOpening(json),
  };
}

function readOpening(json: Json): Opening {
  const instructions = readText(json.instructions) === "" ? [] : [readText(json.instructions)];
  for (const item of itemsOf(json).slice(0, INSTRUCTIONS_MAX)) {
    if (typeOf(item) !== "message") continue;
    const texts = itemParts(item).map(partText);
    if (item.role === "user") return { instructions, question: texts };
    instructions.push(...texts);
  }
  return { instructions, question: [] };
}
