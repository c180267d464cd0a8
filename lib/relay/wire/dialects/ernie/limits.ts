import type { ChatRequest } from "../../canonical/request";
import { isBinaryFile, isPictureOrSound, somePart, someUserPart } from "../common/request-parts";
import { ONE_ANSWER, ONLY_NAMED_TOOL_FORCED } from "../common/usual-limits";
import type { UpstreamOnly } from "../dialect";

const STOPS_MAX = 4;
const STOP_CHARACTERS_MAX = 20;

/** What is lost when a request is translated for this format. */
export const limits: UpstreamOnly["limits"] = {
  upstream: [
    {
      field: "pictures and sound",
      becomes: "refused",
      param: "messages",
      note: "this format has only text",
      applies: (request) => someUserPart(request, isPictureOrSound),
    },
    {
      field: "a file that is not plain text",
      becomes: "refused",
      param: "messages",
      note: "this format has only text",
      applies: (request) => somePart(request, isBinaryFile),
    },
    ONLY_NAMED_TOOL_FORCED,
    ONE_ANSWER,
    {
      field: "stop with more than four texts, or with one of more than 20 characters",
      becomes: "refused",
      param: "stop",
      note: "this format takes no more",
      applies: stopsBeyond,
    },
    { field: "seed, presencePenalty", becomes: "dropped", note: "this format has no such fields" },
    { field: "topK", becomes: "dropped", note: "this format has no such field" },
    { field: "thinking, its effort and budget", becomes: "dropped", note: "models of this format cannot be told" },
    {
      field: "thinking in history",
      becomes: "dropped",
      note: "except what has no signature and led to a call: this format has thoughts in calls",
    },
    { field: "parallelToolCalls", becomes: "dropped", note: "there is at most one call in an answer anyway" },
    { field: "cache marks, strict of a tool", becomes: "dropped", note: "this format has no such fields" },
    {
      field: "system and developer messages",
      becomes: "rewritten",
      note: "to system; with tools to the first message",
    },
    {
      field: "a JSON schema",
      becomes: "rewritten",
      note: "to JSON and a sentence with the schema, like a system message",
    },
    { field: "temperature", becomes: "rewritten", note: "to the nearest from 0.01 to 1" },
    { field: "topP", becomes: "rewritten", note: "to the nearest from 0 to 1" },
    {
      field: "frequencyPenalty",
      becomes: "rewritten",
      note: "to penalty_score from 1 to 2: from 0 on 1 and a half of it",
    },
    { field: "maxTokens of 1", becomes: "rewritten", note: "to 2, the lowest" },
    { field: "calls side by side", becomes: "rewritten", note: "to one after the other, each with its result" },
    {
      field: "a tool's result that is no JSON object",
      becomes: "rewritten",
      note: "to an object with output or error",
    },
    { field: "pictures in a tool's result", becomes: "rewritten", note: "to a remark" },
    { field: "a document of plain text", becomes: "rewritten", note: "to text between document tags" },
    { field: "messages of one side in a row", becomes: "rewritten", note: "to one message" },
    {
      field: "an empty message, the user's turn at the beginning and the end, the model's turn after a result",
      becomes: "rewritten",
      note: "to three dots where the caller has none",
    },
  ],
};

function stopsBeyond({ stop = [] }: ChatRequest): boolean {
  return stop.length > STOPS_MAX || stop.some((text) => text.length > STOP_CHARACTERS_MAX);
}
