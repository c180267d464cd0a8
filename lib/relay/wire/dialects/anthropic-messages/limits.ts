import { type Json, readArray, readObject } from "../../canonical/json";
import type { ChatRequest, MediaSource, Message } from "../../canonical/request";
import type { Limits } from "../common/limit";
import { ONE_ANSWER } from "../common/usual-limits";
import { allBlocks } from "./blocks";
import { isOwnTool, toolsOf } from "./facts";
import { isToolSearch, isToolSearchBlock } from "./tool-search";
import { isSearchBlock, isSearchTool } from "./web-search";

const BLOCKS = new Set([
  ...["text", "image", "document", "search_result", "tool_use", "tool_result", "thinking", "redacted_thinking"],
  "tool_reference",
]);

/** What is lost when a messages request is translated to or from another dialect. */
export const limits: Limits = {
  caller: [
    {
      field: "tools that Anthropic defines or runs (code_execution, web_fetch, computer, bash and the like)",
      becomes: "refused",
      param: "tools",
      note: "only upstreams of this format know them; web_search can be said elsewhere",
      applies: (json) => !toolsOf(json).every((tool) => isOwnTool(tool) || isSearchTool(tool) || isToolSearch(tool)),
    },
    {
      field: "mcp_servers",
      becomes: "refused",
      param: "mcp_servers",
      note: "only upstreams of this format can call them",
      applies: (json) => readArray(json.mcp_servers).length > 0,
    },
    {
      field: "blocks that other tools of Anthropic's than web_search left in the conversation",
      becomes: "refused",
      param: "messages",
      note: "only upstreams of this format can read them",
      applies: (json) => blocksIn(json).some(isForeign),
    },
    {
      field:
        "tool_search tools and the blocks that they left; defer_loading, input_examples and allowed_callers of a tool",
      becomes: "dropped",
      note: "all tools of the request are sent, so that none must be searched",
    },
    {
      field: "a tool_reference in a result",
      becomes: "rewritten",
      note: "to a sentence that names the tool, which is sent as all others are",
    },
    {
      field: "blocks that web_search left in the conversation",
      becomes: "dropped",
      note: "what was said of its results stays; only the upstream that searched can read more in it",
    },
    {
      field: "citations in the answer without an address",
      becomes: "dropped",
      note: "callers of this format know documents by their numbers in the request",
    },
    {
      field: "context and citations of a document or search result",
      becomes: "dropped",
      note: "no other format can be asked for citations of documents",
    },
    {
      field: "output_config.effort without thinking",
      becomes: "dropped",
      note: "elsewhere the word is about thinking only",
    },
    {
      field: "service_tier, container, context_management, metadata but user_id, and the like",
      becomes: "dropped",
      note: "they reach upstreams of this format only",
    },
    { field: "a search result", becomes: "rewritten", note: "to a document of plain text" },
    { field: "cache_control of a tool_result", becomes: "rewritten", note: "to a mark of its last part" },
    { field: "tool_result beside text", becomes: "rewritten", note: "results become messages before the text" },
  ],
  upstream: [
    ONE_ANSWER,
    {
      field: "sound",
      becomes: "refused",
      param: "messages",
      note: "upstreams of this format cannot listen",
      applies: (request) => partsOf(request).some(({ type }) => type === "audio"),
    },
    {
      field: "a file that is neither PDF, picture nor plain text",
      becomes: "refused",
      param: "messages",
      note: "upstreams of this format cannot read it",
      applies: (request) => partsOf(request).some((part) => part.type === "file" && isUnreadable(part.source)),
    },
    {
      field: "a file or picture by the id of another upstream's upload",
      becomes: "refused",
      param: "messages",
      note: "only the upstream that it was made at has it; ids of this format begin with file_",
      applies: (request) =>
        partsOf(request).some(({ source }) => source?.type === "id" && !source.id.startsWith("file_")),
    },
    {
      field: "logprobs",
      becomes: "refused",
      param: "logprobs",
      note: "upstreams of this format cannot report them",
      applies: ({ logprobs }) => logprobs !== undefined,
    },
    { field: "contextSize of a search", becomes: "dropped", note: "this format has no such field" },
    {
      field: "citations in history",
      becomes: "dropped",
      note: "upstreams of this format take only citations back that they encrypted",
    },
    { field: "verbosity and cacheKey", becomes: "dropped", note: "this format has no such fields" },
    { field: "seed, presencePenalty, frequencyPenalty", becomes: "dropped", note: "this format has no such fields" },
    { field: "detail of a picture", becomes: "dropped", note: "this format has no such field" },
    { field: "stop texts of white space", becomes: "dropped", note: "upstreams of this format refuse them" },
    {
      field: "temperature, topP and topK beside thinking, and for Claude 4.7 and later",
      becomes: "dropped",
      note: "upstreams of this format refuse them there",
    },
    { field: "topP beside temperature", becomes: "dropped", note: "several models take only one of them" },
    {
      field: "thinking in history that Anthropic did not sign",
      becomes: "dropped",
      note: "Anthropic takes only thinking that it signed; DeepSeek and Kimi, which serve this format, get it back",
    },
    {
      field: "a tool that must be called, for Claude 5.5 and later",
      becomes: "rewritten",
      note: "to a sentence that asks for the call, because these models cannot be forced",
    },
    {
      field: "thinking off",
      becomes: "rewritten",
      note: "to the model's own word; Claude that always thinks is asked for the least effort",
    },
    {
      field: "thinking beside a tool that must be called",
      becomes: "dropped",
      note: "upstreams of this format refuse them together",
    },
    {
      field: "thinking when a call since the user's last message has lost its own",
      becomes: "dropped",
      note: "upstreams of this format want the thinking before such a call back",
    },
    {
      field: "thinking with a limit that leaves it less than 1,024 tokens",
      becomes: "dropped",
      note: "that is the least budget",
    },
    {
      field: "no maxTokens",
      becomes: "rewritten",
      note: "to 8,192 and the thinking budget, because a limit must be given",
    },
    { field: "temperature above 1", becomes: "rewritten", note: "to 1, the highest" },
    { field: "system and developer messages", becomes: "rewritten", note: "to one system prompt" },
    {
      field: "plain JSON as the format, a schema before Claude 4.5, or one with objects of any properties",
      becomes: "rewritten",
      note: "to a sentence of the system prompt",
    },
    {
      field: "strict of a tool",
      becomes: "rewritten",
      note: "to a schema as below; dropped before Claude 4.5, where the schema cannot be said so, and beyond 20 tools, 24 properties that need not be given or 16 choices of types",
    },
    {
      field: "any other JSON schema",
      becomes: "rewritten",
      note: "to output_config.format: objects without other properties, bounds of numbers and lengths in descriptions",
    },
    { field: "a refusal in history", becomes: "rewritten", note: "to text" },
    { field: "an empty or blank message, or none of the user at first", becomes: "rewritten", note: "to three dots" },
    {
      field: "a text of white space alone beside others",
      becomes: "dropped",
      note: "upstreams of this format refuse it",
    },
    {
      field: "no tools where calls are in history",
      becomes: "rewritten",
      note: "to their names, with tool_choice none",
    },
    { field: "ids of calls", becomes: "rewritten", note: "other characters than letters, digits, _ and - to _" },
    {
      field: "arguments of a call that are no JSON object",
      becomes: "rewritten",
      note: "to an object with the text in it",
    },
  ],
};

function blocksIn(json: Json): Json[] {
  return readArray(json.messages).flatMap((message) => allBlocks(readObject(message)));
}

function isForeign(block: Json): boolean {
  return (
    typeof block.type === "string" && !BLOCKS.has(block.type) && !isSearchBlock(block) && !isToolSearchBlock(block)
  );
}

type Part = { type: string; source?: MediaSource };

function partsOf({ messages }: ChatRequest): Part[] {
  const parts = (message: Message): readonly Part[] => message.content;
  return messages.flatMap((message) => [...parts(message)]);
}

function isUnreadable(source: MediaSource | undefined): boolean {
  return source?.type === "base64" && !/^(?:application\/pdf|image\/)/.test(source.mediaType);
}
