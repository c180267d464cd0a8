import { type Json, readArray, readObject, readText } from "../../canonical/json";
import type { ChatRequest, MediaSource, Message } from "../../canonical/request";
import type { Limits } from "../common/limit";
import { isGiven } from "../common/option-rule";
import { ONE_ANSWER } from "../common/usual-limits";
import { decodeDrawn } from "./decode-response";
import { isReference, itemsOf, typeOf } from "./items";
import { flatTools, isAboutTools, spareAmong } from "./tools";
import { isSearchTool } from "./web-search";

const STORED = "only the upstream that stored it has it; send the whole conversation as input, with store: false";

/** Items that every dialect can express. */
const ITEMS = new Set([
  ...[
    "message",
    "reasoning",
    "function_call",
    "function_call_output",
    "custom_tool_call",
    "custom_tool_call_output",
    "web_search_call",
  ],
]);
const TOOLS = new Set(["function", "custom"]);
const TOOL_CHOICES = new Set([...TOOLS, "allowed_tools"]);
const INCLUDED = "message.output_text.logprobs";

/** An item that no other format has. A picture that comes along with its bytes is one that all can be told of. */
function isForeign(item: Json): boolean {
  return isForeignType(typeOf(item)) && !isAboutTools(item) && decodeDrawn(item).length === 0;
}

/** What is lost when a responses request is translated to or from another dialect. */
export const limits: Limits = {
  caller: [
    {
      field: "previous_response_id",
      becomes: "refused",
      param: "previous_response_id",
      note: STORED,
      applies: (json) => isGiven(json.previous_response_id),
    },
    {
      field: "conversation",
      becomes: "refused",
      param: "conversation",
      note: STORED,
      applies: (json) => isGiven(json.conversation),
    },
    {
      field: "background",
      becomes: "refused",
      param: "background",
      note: "only an upstream of this API goes on by itself, and keeps the answer until it is fetched",
      applies: (json) => json.background === true,
    },
    {
      field: "prompt",
      becomes: "refused",
      param: "prompt",
      note: "only the upstream that stores the template has it",
      applies: (json) => isGiven(json.prompt),
    },
    {
      field: "items of type item_reference",
      becomes: "refused",
      param: "input",
      note: STORED,
      applies: (json) => itemsOf(json).some(isReference),
    },
    {
      field: "items that tools of OpenAI's or a compaction left in the conversation",
      becomes: "refused",
      param: "input",
      note: "only upstreams of this format can read them",
      applies: (json) => itemsOf(json).some(isForeign),
    },
    {
      field:
        "tools of another type than function, custom and web_search (local_shell, mcp, file_search, code_interpreter and the like)",
      becomes: "refused",
      param: "tools",
      note: "only upstreams of this format know them",
      applies: (json) => hasForeignTool(flatTools(json)),
    },
    {
      field: "tool_choice of another type than function, custom, web_search and allowed_tools",
      becomes: "refused",
      param: "tool_choice",
      note: "only upstreams of this format know it",
      applies: ({ tool_choice: choice }) =>
        !isSearchTool(choice) && !TOOL_CHOICES.has(readText(readObject(choice).type ?? "function")),
    },
    {
      field: "moderation, access_programs",
      becomes: "refused",
      param: "moderation",
      note: "only upstreams of this format can judge what is written, and by whom",
      applies: (json) => isGiven(json.moderation) || isGiven(json.access_programs),
    },
    {
      field: "store",
      becomes: "dropped",
      note: "nothing is stored, and the answer says so",
    },
    {
      field: "every other field of the request",
      becomes: "dropped",
      note: "metadata, service_tier, truncation, context_management, max_tool_calls without a search, stream_options, the rest of reasoning and include, and the like reach upstreams of this format only",
    },
    { field: "id, status and phase of an item", becomes: "dropped", note: "no other format has them" },
    { field: "logprobs of a text in history", becomes: "dropped", note: "no other format takes them back" },
    {
      field: "a web_search_call in history",
      becomes: "dropped",
      note: "what was said of its results stays; only the upstream that searched can read more in it",
    },
    {
      field: "external_web_access of a search",
      becomes: "dropped",
      note: "other upstreams cannot search what they have stored",
    },
    {
      field: "citations in the answer without an address",
      becomes: "dropped",
      note: "this format has places for pages of the web and its own files only",
    },
    {
      field: "a thought without text and without encrypted_content",
      becomes: "dropped",
      note: "there is nothing in it",
    },
    {
      field: "a tool of type custom",
      becomes: "rewritten",
      note: "to a function with the text as its parameter input and the grammar in its description; calls come back as custom_tool_call",
    },
    {
      field: "image_generation and tool_search beside functions",
      becomes: "dropped",
      note: "clients offer them with their own tools, and the model can do without; alone they are refused",
    },
    {
      field: "web_search beside functions",
      becomes: "dropped",
      note: "where the upstream cannot search beside functions; alone or chosen it is refused there",
    },
    {
      field: "a tool of type namespace",
      becomes: "rewritten",
      note: "to its tools, with both names joined by __; calls come back with the namespace",
    },
    {
      field: "tool_search_call, tool_search_output and additional_tools in history",
      becomes: "rewritten",
      note: "to the tools that they brought, which are sent as all others are",
    },
    { field: "tool_choice of type allowed_tools", becomes: "rewritten", note: "the other tools are left out" },
    { field: "instructions", becomes: "rewritten", note: "to a system message at the beginning" },
    { field: "items that a model wrote in a row", becomes: "rewritten", note: "to one message" },
    { field: "reasoning.effort max", becomes: "rewritten", note: "to xhigh, the same here" },
    { field: "safety_identifier", becomes: "rewritten", note: "to the user" },
    { field: "prompt_cache_breakpoint", becomes: "rewritten", note: "to a cache mark" },
    { field: "detail original of a picture", becomes: "rewritten", note: "to high" },
  ],
  upstream: [
    {
      field: "stop",
      becomes: "refused",
      param: "stop",
      note: "upstreams of this format cannot be told where to stop",
      applies: ({ stop }) => (stop ?? []).length > 0,
    },
    ONE_ANSWER,
    {
      field: "sound",
      becomes: "refused",
      param: "messages",
      note: "upstreams of this format cannot listen",
      applies: (request) => partsOf(request).some(({ type }) => type === "audio"),
    },
    {
      field: "a file or picture by the id of another upstream's upload",
      becomes: "refused",
      param: "messages",
      note: "only the upstream that it was made at has it; ids of this format begin with file-",
      applies: (request) =>
        partsOf(request).some(({ source }) => source?.type === "id" && !source.id.startsWith("file-")),
    },
    {
      field: "topK, seed, presencePenalty, frequencyPenalty",
      becomes: "dropped",
      note: "this format has no such fields",
    },
    { field: "cache marks", becomes: "dropped", note: "upstreams of this format cache by themselves" },
    { field: "isError of a tool's result", becomes: "dropped", note: "the text of the result says what went wrong" },
    {
      field: "thinking off",
      becomes: "rewritten",
      note: "to the effort none, or to the least that the model knows; dropped for models that do not think",
    },
    {
      field: "thinking in history that OpenAI did not encrypt",
      becomes: "dropped",
      note: "upstreams of this format take only their own back",
    },
    {
      field: "a thinking budget",
      becomes: "rewritten",
      note: "to the nearest reasoning.effort that does not exceed it; with thinking, a summary is asked for",
    },
    { field: "maxTokens below 16", becomes: "rewritten", note: "to 16, the least" },
    { field: "a tool that does not say whether it is strict", becomes: "rewritten", note: "to one that is not" },
    { field: "a system message at the beginning", becomes: "rewritten", note: "to instructions" },
    { field: "a refusal in history", becomes: "rewritten", note: "to text" },
    { field: "a document of plain text", becomes: "rewritten", note: "to a text part between document tags" },
    { field: "a file without a name", becomes: "rewritten", note: "to one named document" },
    { field: "ids of calls longer than 64 characters", becomes: "rewritten", note: "to their beginning and end" },
  ],
};

function hasForeignTool(tools: readonly Json[]): boolean {
  const isSpare = spareAmong(tools);
  return tools.some((tool) => !TOOLS.has(readText(tool.type)) && !isSearchTool(tool) && !isSpare(tool));
}

function isForeignType(type: string): boolean {
  return type !== "" && type !== "item_reference" && !ITEMS.has(type);
}

export function asksForLogprobs(json: Json): boolean {
  const isAsked = typeof json.top_logprobs === "number" && json.top_logprobs > 0;
  return isAsked || readArray(json.include).includes(INCLUDED);
}

type Part = { type: string; source?: MediaSource };

function partsOf({ messages }: ChatRequest): Part[] {
  const parts = (message: Message): readonly Part[] => message.content;
  return messages.flatMap((message) => [...parts(message)]);
}
