import { NO_SOUND, ONE_ANSWER, ONLY_PLAIN_FILES } from "../common/usual-limits";
import type { UpstreamOnly } from "../dialect";
import { someMedia } from "../pictures/media-sources";

const STOPS_MAX = 5;

export const limits: UpstreamOnly["limits"] = {
  upstream: [
    ONE_ANSWER,
    NO_SOUND,
    ONLY_PLAIN_FILES,
    {
      field: "a picture by the id of an upload",
      becomes: "refused",
      param: "messages",
      note: "only the upstream that it was made at has it",
      applies: (request) => someMedia(request, "image", ({ type }) => type === "id"),
    },
    {
      field: "JSON beside tools",
      becomes: "refused",
      param: "response_format",
      note: "upstreams of this format take either",
      applies: ({ tools, responseFormat }) =>
        (tools ?? []).length > 0 && responseFormat !== undefined && responseFormat.type !== "text",
    },
    {
      field: "more than five stop sequences",
      becomes: "refused",
      param: "stop",
      note: "upstreams of this format take five",
      applies: ({ stop }) => (stop ?? []).length > STOPS_MAX,
    },
    { field: "user", becomes: "dropped", note: "this format has no such field" },
    { field: "parallelToolCalls", becomes: "dropped", note: "this format has no such field" },
    {
      field: "name, description and strict of a JSON schema",
      becomes: "dropped",
      note: "schemas are kept to always",
    },
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
      note: "models want back only what led to the calls that are open",
    },
    { field: "developer messages", becomes: "rewritten", note: "to system messages" },
    {
      field: "a forced tool",
      becomes: "rewritten",
      note: "to REQUIRED, with that tool alone",
    },
    {
      field: "strict of a tool",
      becomes: "rewritten",
      note: "to strict_tools where all tools are strict and require a parameter, else dropped",
    },
    { field: "a thinking effort", becomes: "rewritten", note: "to a token_budget" },
    { field: "presencePenalty and frequencyPenalty", becomes: "rewritten", note: "to 0 to 1" },
    { field: "topP and topK", becomes: "rewritten", note: "to 0.01 to 0.99 and at most 500" },
    { field: "text beside calls in history", becomes: "rewritten", note: "to tool_plan" },
    {
      field: "pictures in a tool's result",
      becomes: "rewritten",
      note: "to a message of the user behind the results, because results are text here",
    },
    { field: "a document of plain text", becomes: "rewritten", note: "to a text part between document tags" },
    { field: "a refusal in history", becomes: "rewritten", note: "to text" },
    { field: "an empty message", becomes: "rewritten", note: "to three dots" },
  ],
};
