import { type Json, readText } from "../../canonical/json";
import type { Conversation } from "../dialect";
import { contentsOf, field, partsOf, systemParts } from "./fields";

const textsOf = (parts: readonly Json[]): string[] => parts.map(({ text }) => readText(text));

export function readConversation(json: Json): Conversation {
  return {
    // A prompt that is in a cache of Google's is known by its name.
    cacheKey: readText(field(json, "cachedContent")),
    user: "",
    opening: () => ({
      instructions: textsOf(systemParts(json)),
      question: textsOf(partsOf(contentsOf(json)[0])),
    }),
  };
}
