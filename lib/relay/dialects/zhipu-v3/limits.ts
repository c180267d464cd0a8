import type { ChatRequest } from "../../canonical/request";
import type { Limit } from "../limit";
import { hasMedia } from "../text-only";

/** What is lost when a request of another dialect is translated for this upstream. */
export const limits: { upstream: readonly Limit<ChatRequest>[] } = {
  upstream: [
    {
      field: "choices above 1",
      becomes: "refused",
      param: "n",
      note: "upstreams of this format give one answer",
      applies: ({ choices }) => (choices ?? 1) > 1,
    },
    {
      field: "stop",
      becomes: "refused",
      param: "stop",
      note: "upstreams of this format cannot be told where to stop",
      applies: ({ stop }) => stop !== undefined && stop.length > 0,
    },
    {
      field: "pictures, sound and files that are not text",
      becomes: "refused",
      param: "messages",
      note: "upstreams of this format take only text",
      applies: hasMedia,
    },
    {
      field: "tools, calls of tools and their results",
      becomes: "refused",
      param: "tools",
      note: "upstreams of this format cannot call tools",
      applies: hasTools,
    },
    {
      field: "responseFormat with a schema",
      becomes: "refused",
      param: "response_format",
      note: "upstreams of this format cannot be held to a schema",
      applies: ({ responseFormat }) => responseFormat?.type === "json-schema",
    },
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
