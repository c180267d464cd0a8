import { readArray, readObject, readText } from "../../canonical/json";
import type { ChatRequest, MediaSource } from "../../canonical/request";
import type { Limits } from "../limit";
import { someMedia } from "../media-sources";

/** What is lost when a chat completions request is translated to or from another dialect. */
export const limits: Limits = {
  caller: [
    {
      field: "functions, function_call, role function",
      becomes: "refused",
      param: "functions",
      note: "give tools instead",
      applies: (json) =>
        json.functions !== undefined ||
        json.function_call !== undefined ||
        readArray(json.messages).some((message) => readObject(message).role === "function"),
    },
    {
      field: "tools of another type than function",
      becomes: "refused",
      param: "tools",
      note: "only upstreams of this format know them",
      applies: (json) => readArray(json.tools).some((tool) => (readObject(tool).type ?? "function") !== "function"),
    },
    {
      field: "tool_choice of another type than function",
      becomes: "refused",
      param: "tool_choice",
      note: "only upstreams of this format know it",
      applies: (json) => (readObject(json.tool_choice).type ?? "function") !== "function",
    },
    {
      field: "modalities with audio",
      becomes: "refused",
      param: "modalities",
      note: "only upstreams of this format can answer with sound",
      applies: (json) => readArray(json.modalities).includes("audio"),
    },
    {
      field: "logprobs",
      becomes: "refused",
      param: "logprobs",
      note: "only upstreams of this format can report them",
      applies: (json) => json.logprobs === true,
    },
    {
      field: "web_search_options",
      becomes: "refused",
      param: "web_search_options",
      note: "only upstreams of this format can search for an answer",
      applies: (json) => json.web_search_options !== undefined && json.web_search_options !== null,
    },
    {
      field: "every other field of the request",
      becomes: "dropped",
      note: "logit_bias, prediction, store, metadata, service_tier, verbosity and the like reach upstreams of this format only",
    },
    { field: "messages[].name", becomes: "dropped", note: "no other format names who speaks" },
    { field: "messages[].audio", becomes: "dropped", note: "it names a sound that only its upstream has" },
  ],
  upstream: [
    {
      field: "a file by its address",
      becomes: "refused",
      param: "messages",
      note: "upstreams of this format take files only inline",
      applies: (request) => someFile(request, ({ type }) => type === "url"),
    },
    {
      field: "a file or picture by the id of another upstream's upload",
      becomes: "refused",
      param: "messages",
      note: "only the upstream that it was made at has it; ids of this format begin with file-",
      applies: (request) => someFile(request, isForeign) || someMedia(request, "image", ({ type }) => type === "id"),
    },
    { field: "topK", becomes: "dropped", note: "this format has no such limit" },
    { field: "cache marks", becomes: "dropped", note: "upstreams of this format cache by themselves" },
    { field: "isError of a tool's result", becomes: "dropped", note: "the text of the result says what went wrong" },
    {
      field: "thinking off",
      becomes: "dropped",
      note: "models that always think refuse it, others need no word for it",
    },
    {
      field: "thinking with a signature, redacted thinking",
      becomes: "dropped",
      note: "only the upstream that signed it can use it",
    },
    {
      field: "thinking without a signature",
      becomes: "dropped",
      note: "except since the last message of the user: models that call tools want it back as reasoning_content",
    },
    {
      field: "a thinking budget",
      becomes: "rewritten",
      note: "to the nearest reasoning_effort that does not exceed it",
    },
    {
      field: "pictures and files in a tool's result",
      becomes: "rewritten",
      note: "to a message of the user behind the results, because results are text here",
    },
    { field: "a document of plain text", becomes: "rewritten", note: "to a text part between document tags" },
  ],
};

function someFile(request: ChatRequest, is: (source: MediaSource) => boolean): boolean {
  return someMedia(request, "file", is);
}

function isForeign(source: MediaSource): boolean {
  return source.type === "id" && !readText(source.id).startsWith("file-");
}
