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
    { field: "cache marks", becomes: "dropped", note: "upstreams of this format cache by themselves" },
    { field: "isError of a tool's result", becomes: "dropped", note: "the text of the result says what went wrong" },
    { field: "thinking off", becomes: "dropped", note: "except for gpt-oss, which is asked for the least" },
    { field: "thinking in history", becomes: "dropped", note: "this format has no place for it" },
    { field: "a thinking effort or budget", becomes: "rewritten", note: "to a reasoning_effort: low, medium or high" },
    { field: "developer messages", becomes: "rewritten", note: "to system messages" },
    { field: "temperature, topP and topK", becomes: "rewritten", note: "to at most 5, 0.001 to 1 and 1 to 50" },
    {
      field: "pictures in a tool's result",
      becomes: "rewritten",
      note: "to a message of the user behind the results, because results are text here",
    },
    { field: "a document of plain text", becomes: "rewritten", note: "to text between document tags" },
    { field: "a refusal in history", becomes: "rewritten", note: "to text" },
  ],
};
