import { type Json, readArray, readList, readObject } from "../../canonical/json";
import { isBeyond, isGiven, isLongCache, type OptionRule } from "../common/option-rule";
import { allBlocks } from "./blocks";
import { toolsOf } from "./facts";

/** Tools that the caller runs, or that cost nothing but the tokens they bring in. */
const PLAIN_TOOLS = /^(custom$|bash_|text_editor_|computer_|memory_|web_fetch_|tool_search_tool_|mcp_toolset$)/;

/** What options of a messages request cost. */
export const options: readonly OptionRule[] = [
  {
    field: "service_tier",
    becomes: "refused",
    param: "service_tier",
    note: "only auto and standard_only cost what the price says",
    applies: isBeyond("service_tier", ["auto", "standard_only"]),
  },
  {
    field: "speed",
    becomes: "refused",
    param: "speed",
    note: "faster answers cost more",
    applies: isBeyond("speed", ["standard"]),
  },
  {
    field: "inference_geo",
    becomes: "refused",
    param: "inference_geo",
    note: "a chosen region costs more",
    applies: isBeyond("inference_geo", ["global"]),
  },
  {
    field: "fallbacks",
    becomes: "refused",
    param: "fallbacks",
    note: "the price is that of one model",
    applies: (json) => isGiven(json.fallbacks),
  },
  {
    field: "container",
    becomes: "refused",
    param: "container",
    note: "containers are charged by the hour",
    applies: (json) => isGiven(json.container),
  },
  {
    field: "web_search, code_execution and other tools that run at Anthropic",
    becomes: "refused",
    param: "tools",
    note: "they are charged by the call or by the hour",
    applies: (json) => !toolsOf(json).every(({ type = "custom" }) => PLAIN_TOOLS.test(String(type ?? "custom"))),
  },
  {
    field: "cache_control.ttl",
    becomes: "refused",
    param: "cache_control",
    note: "only a cache of 5m costs what the price says",
    applies: hasLongCache,
  },
  {
    field: "anthropic-beta: context-1m-…, fast-mode-…, code-execution-…, web-search-…",
    becomes: "dropped",
    header: "anthropic-beta",
    pattern: /^(context-1m|fast-mode|code-execution|web-search)-/,
    note: "they make requests dearer, or allow dear tools",
  },
  { field: "thinking, output_config", becomes: "counted", note: "they change only how much is written" },
  { field: "mcp_servers, context_management", becomes: "counted", note: "what they bring in is in the usage" },
  {
    field: "bash, text_editor, computer, memory, web_fetch and tool_search tools",
    becomes: "counted",
    note: "they cost only tokens",
  },
  { field: "metadata", becomes: "free", note: "it is not charged" },
];

/** Everything that can be marked for the cache. */
function hasLongCache(json: Json): boolean {
  if (isLongCache(json) || readList(json.system).some(isLongCache) || readList(json.tools).some(isLongCache))
    return true;
  return readArray(json.messages).some(
    (message) => typeof readObject(message).content !== "string" && allBlocks(message).some(isLongCache),
  );
}
