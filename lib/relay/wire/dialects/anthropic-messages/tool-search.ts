import { type Json, readText } from "../../canonical/json";
import type { TextPart } from "../../canonical/request";

// Tools whose definitions are read only when a search has found them (`defer_loading`). Elsewhere all of them are read
// from the beginning: https://platform.claude.com/docs/en/agents-and-tools/tool-use/tool-search-tool

const TOOL = /^tool_search_tool_/;

/** The tool by which Anthropic searches the request's other tools. */
export function isToolSearch({ type }: Json): boolean {
  return TOOL.test(readText(type));
}

/** A block that such a search at Anthropic left: its call, or what was found. */
export function isToolSearchBlock({ type, name }: Json): boolean {
  return type === "tool_search_tool_result" || (type === "server_tool_use" && TOOL.test(readText(name)));
}

/** A tool that a client's own search has found, in the result of that search. */
export function isToolReference({ type }: Json): boolean {
  return type === "tool_reference";
}

/** The model is told which tools it looked for: their definitions are among the tools of the request. */
export function decodeToolReference({ tool_name: name }: Json): TextPart {
  return { type: "text", text: `The tool ${readText(name)} is available now.` };
}
