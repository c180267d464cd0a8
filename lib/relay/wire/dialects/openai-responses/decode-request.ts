import { type Json, readArray, readObject, readText } from "../../canonical/json";
import type { ChatRequest, ResponseFormat, Thinking, ToolChoice } from "../../canonical/request";
import { WEB_SEARCH } from "../../canonical/web-search";
import { InvalidRequest } from "../../canonical/wire-error";
import { defined } from "../common/defined";
import { refuseLimits } from "../common/limit";
import { ALTERNATIVES_MAX } from "../common/openai/openai-logprobs";
import { readFlag, readLimit, readNumber, readVerbosity } from "../common/request-fields";
import { isEffort } from "../common/thinking-budget";
import { decodeMessages } from "./decode-messages";
import { readFacts } from "./facts";
import { asksForLogprobs, limits } from "./limits";
import { decodeTool, flatTools, spareAmong } from "./tools";
import { decodeWebSearch, isSearchTool } from "./web-search";

const ID = "openai-responses";

/** Fields with a canonical counterpart; all others become extensions of this dialect. */
const READ = new Set([
  ...["model", "input", "instructions", "stream", "max_output_tokens", "tools", "tool_choice", "parallel_tool_calls"],
  ...["temperature", "top_p", "text", "reasoning", "user", "safety_identifier", "store", "include"],
  ...["prompt_cache_key", "top_logprobs", "max_tool_calls"],
]);

/** Responses request → canonical request. Throws InvalidRequest. */
export function decodeRequest(json: Json): ChatRequest {
  const { model, isStream, completionTokensMax } = readFacts(json);
  refuseLimits(limits.caller, json);
  const own = Object.fromEntries(Object.entries(json).filter(([name]) => !READ.has(name)));
  return defined({
    model,
    messages: decodeMessages(json),
    isStream,
    ...decodeTools(json),
    parallelToolCalls: readFlag(json, "parallel_tool_calls"),
    maxTokens: completionTokensMax ?? undefined,
    temperature: readNumber(json, "temperature"),
    topP: readNumber(json, "top_p"),
    verbosity: readVerbosity(readObject(json.text).verbosity),
    logprobs: asksForLogprobs(json) ? (readLimit(json, "top_logprobs", 0, ALTERNATIVES_MAX) ?? 0) : undefined,
    responseFormat: decodeFormat(readObject(json.text).format),
    thinking: decodeThinking(readObject(json.reasoning).effort),
    cacheKey: readText(json.prompt_cache_key) || undefined,
    user: readText(json.safety_identifier) || readText(json.user) || undefined,
    extensions: Object.keys(own).length > 0 ? { [ID]: own } : undefined,
  });
}

/** A choice among some of the tools leaves only those. */
function decodeTools(json: Json): Pick<ChatRequest, "tools" | "toolChoice" | "webSearch"> {
  const all = flatTools(json);
  const isSpare = spareAmong(all);
  const given = all.filter((tool) => !isSearchTool(tool) && !isSpare(tool)).map(decodeTool);
  const isChosen = isSearchTool(json.tool_choice);
  const isOptional = !isChosen && all.some((tool) => isSearchTool(tool) && isSpare(tool));
  const webSearch = decodeWebSearch(all, json.max_tool_calls, isOptional);
  if (isChosen && !webSearch) throw new InvalidRequest("tool_choice must name one of the tools", "tool_choice");
  const { type, tools: allowed, mode } = readObject(json.tool_choice);
  if (type !== "allowed_tools") {
    return defined({
      tools: given.length > 0 ? given : undefined,
      toolChoice: decodeToolChoice(json.tool_choice),
      webSearch,
    });
  }
  const names = new Set(readArray(allowed).map((tool) => readText(readObject(tool).name)));
  const tools = given.filter(({ name }) => names.has(name));
  const search = readArray(allowed).some(isSearchTool) ? webSearch : undefined;
  if (tools.length === 0 && !search) throw new InvalidRequest("tool_choice must allow one of the tools", "tool_choice");
  return defined({
    tools: tools.length > 0 ? tools : undefined,
    toolChoice: decodeToolChoice(mode),
    webSearch: search,
  });
}

function decodeToolChoice(value: unknown): ToolChoice | undefined {
  if (value === undefined || value === null) return undefined;
  if (value === "auto" || value === "none" || value === "required") return { type: value };
  if (isSearchTool(value)) return { type: "tool", name: WEB_SEARCH };
  const name = readText(readObject(value).name);
  if (name === "") throw new InvalidRequest("tool_choice must be auto, none, required or a tool", "tool_choice");
  return { type: "tool", name };
}

function decodeFormat(value: unknown): ResponseFormat | undefined {
  if (value === undefined || value === null) return undefined;
  const { type, name, schema, strict, description } = readObject(value);
  if (type === "text") return { type: "text" };
  if (type === "json_object") return { type: "json" };
  if (type !== "json_schema") {
    throw new InvalidRequest("text.format must be text, json_object or json_schema", "text.format");
  }
  if (typeof schema !== "object" || schema === null) {
    throw new InvalidRequest("text.format must have a schema", "text.format");
  }
  return defined({
    type: "json-schema" as const,
    name: readText(name) || "response",
    schema: readObject(schema),
    strict: typeof strict === "boolean" ? strict : undefined,
    description: readText(description) || undefined,
  });
}

function decodeThinking(effort: unknown): Thinking | undefined {
  if (effort === undefined || effort === null) return undefined;
  if (effort === "none") return { type: "off" };
  if (effort === "max") return { type: "effort", effort: "xhigh" };
  if (isEffort(effort)) return { type: "effort", effort };
  throw new InvalidRequest(
    "reasoning.effort must be none, minimal, low, medium, high, xhigh or max",
    "reasoning.effort",
  );
}
