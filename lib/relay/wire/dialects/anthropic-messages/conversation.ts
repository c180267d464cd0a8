import { type Json, readArray, readObject, readText } from "../../canonical/json";
import type { Conversation } from "../dialect";
import { blocksOf, blockText } from "./blocks";

export function readConversation(json: Json): Conversation {
  return {
    cacheKey: "",
    user: readText(readObject(json.metadata).user_id),
    opening: () => ({
      instructions: blocksOf(json.system).map(blockText),
      question: blocksOf(readObject(readArray(json.messages)[0]).content).map(blockText),
    }),
  };
}
