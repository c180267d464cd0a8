import { isBinaryFile, isUploadedImage, somePart } from "../common/request-parts";
import { ONE_ANSWER, ONLY_NAMED_TOOL_FORCED } from "../common/usual-limits";
import type { UpstreamOnly } from "../dialect";

/** What is lost when a request is translated for this format. */
export const limits: UpstreamOnly["limits"] = {
  upstream: [
    {
      field: "sound",
      becomes: "refused",
      param: "messages",
      note: "upstreams of this format cannot listen",
      applies: (request) => somePart(request, ({ type }) => type === "audio"),
    },
    {
      field: "a file that is not plain text",
      becomes: "refused",
      param: "messages",
      note: "this format takes only files that were uploaded to it",
      applies: (request) => somePart(request, isBinaryFile),
    },
    {
      field: "a picture by the id of another upstream's upload",
      becomes: "refused",
      param: "messages",
      note: "only the upstream that it was made at has it",
      applies: (request) => somePart(request, isUploadedImage),
    },
    ONLY_NAMED_TOOL_FORCED,
    ONE_ANSWER,
    { field: "maxTokens", becomes: "dropped", note: "this format has no such limit; a cap cuts the answer instead" },
    {
      field: "topK, presencePenalty, frequencyPenalty, user",
      becomes: "dropped",
      note: "this format has no such fields",
    },
    { field: "parallelToolCalls, strict of a tool", becomes: "dropped", note: "this format has no such fields" },
    { field: "cache marks, detail of a picture", becomes: "dropped", note: "this format has no such fields" },
    { field: "thinking in history", becomes: "dropped", note: "the provider refuses its own thoughts" },
    {
      field: "a thinking effort or budget",
      becomes: "rewritten",
      note: "to EnableThinking, which only some models heed",
    },
    { field: "seed below 1 or above 10,000", becomes: "rewritten", note: "to one between, the same each time" },
    { field: "temperature above 2, topP above 1", becomes: "rewritten", note: "to the highest" },
    { field: "JSON and a JSON schema", becomes: "rewritten", note: "to a sentence in the system message" },
    { field: "system and developer messages", becomes: "rewritten", note: "to one system message" },
    {
      field: "pictures in a tool's result",
      becomes: "rewritten",
      note: "to a message of the user behind the results, because results are text here",
    },
    { field: "isError of a tool's result", becomes: "dropped", note: "the text of the result says what went wrong" },
    { field: "a document of plain text", becomes: "rewritten", note: "to text between document tags" },
    { field: "messages of one side in a row", becomes: "rewritten", note: "to one message" },
    {
      field: "an empty message, the user's turn at the beginning and the end, the model's turn after a result",
      becomes: "rewritten",
      note: "to three dots where the caller has none",
    },
  ],
};
