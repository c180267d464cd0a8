import { NO_SOUND, ONE_ANSWER, ONLY_INLINE_PICTURES, ONLY_PLAIN_FILES } from "../common/usual-limits";
import type { UpstreamOnly } from "../dialect";

export const limits: UpstreamOnly["limits"] = {
  upstream: [
    ONE_ANSWER,
    NO_SOUND,
    ONLY_PLAIN_FILES,
    ONLY_INLINE_PICTURES,
    { field: "user", becomes: "dropped", note: "this format has no such field" },
    { field: "parallelToolCalls", becomes: "dropped", note: "this format has no such field" },
    { field: "strict of a tool", becomes: "dropped", note: "this format has no such field" },
    { field: "detail of a picture", becomes: "dropped", note: "this format has no such field" },
    {
      field: "name, description and strict of a JSON schema",
      becomes: "dropped",
      note: "schemas are kept to always",
    },
    { field: "ids of calls", becomes: "dropped", note: "results follow in the order of their calls and name the tool" },
    { field: "cache marks", becomes: "dropped", note: "upstreams of this format cache by themselves" },
    { field: "isError of a tool's result", becomes: "dropped", note: "the text of the result says what went wrong" },
    { field: "thinking for models that do not think", becomes: "dropped", note: "they refuse it" },
    {
      field: "thinking with a signature, redacted thinking",
      becomes: "dropped",
      note: "only the upstream that signed it can use it",
    },
    {
      field: "thinking before the last message of the user",
      becomes: "dropped",
      note: "models want back only the last turn; DeepSeek and Kimi all turns with calls",
    },
    { field: "developer messages", becomes: "rewritten", note: "to system messages" },
    { field: "forbidden tools", becomes: "rewritten", note: "the tools are left out" },
    {
      field: "a forced call",
      becomes: "rewritten",
      note: "to a system message that asks for it; of tools, a forced one is offered alone",
    },
    {
      field: "a thinking effort or budget",
      becomes: "rewritten",
      note: "to low, medium or high for gpt-oss, else to the wish to think",
    },
    { field: "a document of plain text", becomes: "rewritten", note: "to text between document tags" },
    { field: "a refusal in history", becomes: "rewritten", note: "to text" },
    {
      field: "arguments of a call that are no JSON object",
      becomes: "rewritten",
      note: "to an object with the text in it",
    },
  ],
};
