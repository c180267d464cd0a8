import { readList, readObject, readText } from "../../canonical/json";
import { isBeyond, isGiven, type OptionRule } from "../common/option-rule";
import { isOwnTool } from "./facts";
import { allTools, withoutDearTools } from "./tools";

/** Tools that run at OpenAI and cost nothing but the tokens they bring in. */
const TOKEN_TOOLS = new Set(["mcp", "tool_search"]);

/** What options of a responses request cost. */
export const options: readonly OptionRule[] = [
  {
    field: "service_tier",
    becomes: "refused",
    param: "service_tier",
    note: "only auto, default and flex cost what the price says",
    applies: isBeyond("service_tier", ["auto", "default", "flex"]),
  },
  {
    field: "web_search and image_generation beside functions",
    becomes: "dropped",
    param: "tools",
    note: "they are charged by the call; clients offer them with their own tools, and the model can do without",
    without: withoutDearTools,
  },
  {
    field: "web_search, file_search, code_interpreter, image_generation and other tools that run at OpenAI",
    becomes: "refused",
    param: "tools",
    note: "they are charged by the call, by the hour or by the picture",
    applies: (json) => !allTools(json).every(isCheapTool),
  },
  {
    field: "prompt",
    becomes: "refused",
    param: "prompt",
    note: "a prompt that is kept at the upstream belongs to its account, and may bring tools and another model",
    applies: (json) => isGiven(json.prompt),
  },
  { field: "models", becomes: "counted", note: "the price is that of the model that answers" },
  {
    field: "reasoning, text.verbosity",
    becomes: "counted",
    note: "they change only how much is written",
  },
  {
    field: "previous_response_id, conversation, item_reference",
    becomes: "counted",
    note: "what they bring in is in the usage",
  },
  { field: "mcp and tool_search tools", becomes: "counted", note: "they cost only tokens" },
  { field: "context_management, truncation", becomes: "counted", note: "what is left of the prompt is in the usage" },
  {
    field: "prompt_cache_key, prompt_cache_options, prompt_cache_retention",
    becomes: "free",
    note: "cached tokens have a price of their own",
  },
  {
    field: "store, metadata, moderation, include, top_logprobs, user, safety_identifier",
    becomes: "free",
    note: "they are not charged",
  },
];

function isCheapTool(tool: unknown): boolean {
  const { type, tools } = readObject(tool);
  if (type === "namespace") return readList(tools).every(isCheapTool);
  return isOwnTool(tool) || TOKEN_TOOLS.has(readText(type));
}
