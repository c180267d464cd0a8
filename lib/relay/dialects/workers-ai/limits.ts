import type { UpstreamOnly } from "../dialect";
import { hasAudio, someMedia } from "../media-sources";

export const limits: UpstreamOnly["limits"] = {
  upstream: [
    {
      field: "choices above 1",
      becomes: "refused",
      param: "n",
      note: "upstreams of this format give one answer",
      applies: ({ choices }) => (choices ?? 1) > 1,
    },
    {
      field: "audio",
      becomes: "refused",
      param: "messages",
      note: "upstreams of this format take text and pictures",
      applies: hasAudio,
    },
    {
      field: "a file other than a document of plain text",
      becomes: "refused",
      param: "messages",
      note: "upstreams of this format take text and pictures",
      applies: (request) => someMedia(request, "file", ({ type }) => type !== "text"),
    },
    {
      field: "a picture that is not inline",
      becomes: "refused",
      param: "messages",
      note: "those at addresses are fetched before, where they are in messages of the user",
      applies: (request) => someMedia(request, "image", ({ type }) => type !== "base64"),
    },
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
    { field: "thinking off", becomes: "dropped", note: "models that do not think need no word for it" },
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
