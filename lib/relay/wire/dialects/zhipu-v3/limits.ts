import type { ChatRequest } from "../../canonical/request";
import type { Limit } from "../common/limit";
import { NO_SCHEMA, NO_STOP, ONE_ANSWER, ONLY_TEXT } from "../common/usual-limits";

/** What is lost when a request of another dialect is translated for this upstream. */
export const limits: { upstream: readonly Limit<ChatRequest>[] } = {
  upstream: [
    ONE_ANSWER,
    NO_STOP,
    ONLY_TEXT,
    {
      field: "tools, calls of tools and their results",
      becomes: "refused",
      param: "tools",
      note: "upstreams of this format cannot call tools",
      applies: hasTools,
    },
    NO_SCHEMA,
    { field: "maxTokens", becomes: "dropped", note: "upstreams of this format have a limit of their own only" },
    {
      field: "topK, seed, presencePenalty, frequencyPenalty, parallelToolCalls, cache marks, the user",
      becomes: "dropped",
      note: "this format has no such fields",
    },
    { field: "thinking, also in history", becomes: "dropped", note: "these models do not think" },
    { field: "temperature of 0, or above 1", becomes: "rewritten", note: "to the nearest that is taken" },
    { field: "topP of 0, or from 1 on", becomes: "rewritten", note: "to the nearest that is taken" },
    {
      field: "system and developer messages",
      becomes: "rewritten",
      note: "to one at the beginning, to which the user says Okay",
    },
    { field: "messages of one role in a row", becomes: "rewritten", note: "to one" },
    { field: "plain JSON", becomes: "rewritten", note: "to a sentence that asks for it" },
    { field: "a refusal in history", becomes: "rewritten", note: "to text" },
    { field: "a document of plain text", becomes: "rewritten", note: "to text between document tags" },
  ],
};

function hasTools({ tools = [], toolChoice, messages }: ChatRequest): boolean {
  if (tools.length > 0 && toolChoice?.type !== "none") return true;
  return messages.some(({ role, content }) => role === "tool" || content.some(({ type }) => type === "tool-call"));
}
