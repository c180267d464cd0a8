import { isFilledObject, readArray, readList, readObject, readText } from "../../canonical/json";
import type { ChatRequest, MediaSource } from "../../canonical/request";
import type { Limits } from "../common/limit";
import { isGiven } from "../common/option-rule";
import { namesDomains } from "../common/web-search";
import { someMedia } from "../pictures/media-sources";

/** Ways in which other upstreams of this format are asked for a search. */
const OTHER_SEARCHES = ["search_parameters", "enable_search", "search_options", "plugins"];

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
      applies: (json) => readList(json.tools).some((tool) => (readObject(tool).type ?? "function") !== "function"),
    },
    {
      field: "tool_choice of another type than function and allowed_tools",
      becomes: "refused",
      param: "tool_choice",
      note: "only upstreams of this format know it",
      applies: ({ tool_choice: choice }) =>
        !["function", "allowed_tools"].includes(readText(readObject(choice).type ?? "function")),
    },
    { field: "tool_choice of type allowed_tools", becomes: "rewritten", note: "the other tools are left out" },
    {
      field: "modalities with audio",
      becomes: "refused",
      param: "modalities",
      note: "only upstreams of this format can answer with sound",
      applies: (json) => readList(json.modalities).includes("audio"),
    },
    {
      field: "search_parameters, enable_search, search_options, plugins",
      becomes: "refused",
      param: "tools",
      note: "only the upstreams that they are made for know them; web_search_options can be said elsewhere",
      applies: (json) => OTHER_SEARCHES.some((name) => isGiven(json[name])),
    },
    {
      field: "every other field of the request",
      becomes: "dropped",
      note: "prediction, store, metadata, service_tier and the like reach upstreams of this format only",
    },
    {
      field: "logit_bias, moderation",
      becomes: "refused",
      param: "logit_bias",
      note: "only upstreams of this format know them, and an answer would be another one without",
      applies: (json) => isFilledObject(json.logit_bias) || isGiven(json.moderation),
    },
    { field: "messages[].name", becomes: "dropped", note: "no other format names who speaks" },
    {
      field: "a function googleSearch without parameters",
      becomes: "rewritten",
      note: "to a search of the web by the upstream",
    },
    {
      field: "searches in the answer",
      becomes: "dropped",
      note: "this format has no place for them; citations are kept",
    },
    {
      field: "citations in the answer without an address",
      becomes: "dropped",
      note: "this format has places for pages of the web only",
    },
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
    {
      field: "a search that a client offers with its own functions",
      becomes: "dropped",
      note: "upstreams of this format do not search beside functions, and it can do without",
    },
    {
      field: "domains of a search",
      becomes: "refused",
      param: "tools",
      note: "upstreams of this format search all of the web",
      applies: namesDomains,
    },
    { field: "maxUses of a search", becomes: "dropped", note: "this format has no such limit" },
    { field: "a tool choice that asks for a search", becomes: "dropped", note: "models that search here always do" },
    {
      field: "verbosity and cacheKey for models that are not OpenAI's",
      becomes: "dropped",
      note: "upstreams that do not know them may refuse the request",
    },
    { field: "citations in history", becomes: "dropped", note: "upstreams of this format need not take them back" },
    { field: "topK", becomes: "dropped", note: "this format has no such limit" },
    { field: "cache marks", becomes: "dropped", note: "upstreams of this format cache by themselves" },
    { field: "isError of a tool's result", becomes: "dropped", note: "the text of the result says what went wrong" },
    {
      field: "thinking off, and a wish to think",
      becomes: "rewritten",
      note: "to the provider's own word, as docs/model-rules.md lists them; models that always think are asked for the least",
    },
    {
      field: "thinking with a signature, redacted thinking",
      becomes: "dropped",
      note: "only the upstream that signed it can use it",
    },
    {
      field: "thinking without a signature",
      becomes: "dropped",
      note: "except since the last message of the user, and from turns with calls for models that want it back, as DeepSeek and Kimi",
    },
    {
      field: "a thinking budget",
      becomes: "rewritten",
      note: "to the nearest reasoning_effort that does not exceed it, where the provider has no budget",
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
