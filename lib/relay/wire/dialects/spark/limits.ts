import type { ChatRequest } from "../../canonical/request";
import type { Limit } from "../common/limit";
import { NO_SCHEMA, NO_STOP, ONE_ANSWER, ONLY_TEXT } from "../common/usual-limits";
import type { SparkVersion } from "./versions";

/** What is lost when a request of another dialect is translated for this upstream. */
export const limits: { upstream: readonly Limit<ChatRequest>[] } = {
  upstream: [
    ONE_ANSWER,
    NO_STOP,
    ONLY_TEXT,
    NO_SCHEMA,
    {
      field: "one of several tools that must be called",
      becomes: "refused",
      param: "tool_choice",
      note: "upstreams of this format can be told which tool to call, but not to choose one",
      applies: ({ tools = [], toolChoice }) => toolChoice?.type === "required" && tools.length > 1,
    },
    {
      field: "tools before v3.1, for lite and for models that think",
      becomes: "refused",
      param: "tools",
      note: "these versions cannot call tools",
      applies: () => false,
    },
    {
      field: "seed, parallelToolCalls, cache marks, the user, strict of a tool",
      becomes: "dropped",
      note: "this format has no such fields; an answer has one call at most",
    },
    { field: "topP, presencePenalty, frequencyPenalty", becomes: "dropped", note: "except for models that think" },
    { field: "isError of a tool's result", becomes: "dropped", note: "the text of the result says what went wrong" },
    { field: "thinking in history", becomes: "dropped", note: "upstreams of this format do not take it back" },
    { field: "thinking for models that do not think", becomes: "dropped", note: "they have no word for it" },
    {
      field: "a thinking budget or effort",
      becomes: "rewritten",
      note: "to thinking that is switched on, for models that think",
    },
    { field: "temperature of 0, or above the highest", becomes: "rewritten", note: "to the nearest that is taken" },
    { field: "topK above 6", becomes: "rewritten", note: "to 6, the highest" },
    { field: "system and developer messages", becomes: "rewritten", note: "to one at the beginning" },
    {
      field: "system messages before v3.5",
      becomes: "rewritten",
      note: "to a message of the user, which the model has agreed to",
    },
    {
      field: "calls of tools and their results in history",
      becomes: "rewritten",
      note: "to text, because messages have no other parts",
    },
    { field: "messages of one role in a row", becomes: "rewritten", note: "to one" },
    { field: "plain JSON", becomes: "rewritten", note: "to a sentence that asks for it" },
    { field: "a refusal in history", becomes: "rewritten", note: "to text" },
    { field: "a document of plain text", becomes: "rewritten", note: "to text between document tags" },
  ],
};

/** The limits for this version. */
export function limitsOf({ calls }: SparkVersion): readonly Limit<ChatRequest>[] {
  if (calls) return limits.upstream;
  return limits.upstream.map((limit) =>
    limit.becomes === "refused" && limit.param === "tools" ? { ...limit, applies: asksForTools } : limit,
  );
}

function asksForTools({ tools = [], toolChoice }: ChatRequest): boolean {
  return tools.length > 0 && toolChoice?.type !== "none";
}
