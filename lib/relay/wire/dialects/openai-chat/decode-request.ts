import { type Json, readList, readObject, readText } from "../../canonical/json";
import type { ChatRequest, ResponseFormat, Thinking, Tool, ToolChoice } from "../../canonical/request";
import { WEB_SEARCH } from "../../canonical/web-search";
import { InvalidRequest } from "../../canonical/wire-error";
import { defined } from "../common/defined";
import { refuseLimits } from "../common/limit";
import { ALTERNATIVES_MAX } from "../common/openai/openai-logprobs";
import { readFlag, readLimit, readNumber, readTexts, readVerbosity } from "../common/request-fields";
import { isEffort } from "../common/thinking-budget";
import { decodeThinking as decodeGoogles } from "../gemini-generate-content/thinking";
import { readDrawing } from "../pictures/drawing";
import { decodeMessages, markOf } from "./decode-messages";
import { readFacts } from "./facts";
import { limits } from "./limits";
import { decodeWebSearch, isGoogleSearch } from "./web-search";

const ID = "openai-chat";

/** Fields with a canonical counterpart; all others become extensions of this dialect. */
const READ = new Set([
  ...["model", "messages", "stream", "stream_options", "max_tokens", "max_completion_tokens", "n", "tools"],
  ...["tool_choice", "parallel_tool_calls", "temperature", "top_p", "top_k", "presence_penalty", "frequency_penalty"],
  ...["stop", "seed", "response_format", "reasoning_effort", "reasoning", "thinking", "user", "logprobs"],
  ...["top_logprobs", "web_search_options", "prompt_cache_key", "verbosity", "safety_identifier", "extra_body"],
  ...["enable_thinking", "thinking_budget", "modalities", "image_config"],
]);

/** Chat completions request → canonical request. Throws InvalidRequest. */
export function decodeRequest(json: Json): ChatRequest {
  const { model, isStream, choices, completionTokensMax } = readFacts(json);
  refuseLimits(limits.caller, json);
  const searches = readList(json.tools).some(isGoogleSearch);
  const own = Object.fromEntries(Object.entries(json).filter(([name]) => !READ.has(name)));
  return defined({
    model,
    messages: decodeMessages(json),
    isStream,
    ...decodeChoice(decodeTools(json), json.tool_choice, searches),
    webSearch: decodeWebSearch(json, searches),
    parallelToolCalls: readFlag(json, "parallel_tool_calls"),
    maxTokens: completionTokensMax ?? undefined,
    temperature: readNumber(json, "temperature"),
    topP: readNumber(json, "top_p"),
    topK: readNumber(json, "top_k"),
    presencePenalty: readNumber(json, "presence_penalty"),
    frequencyPenalty: readNumber(json, "frequency_penalty"),
    stop: readTexts(json, "stop"),
    seed: readNumber(json, "seed"),
    choices: choices === 1 ? undefined : choices,
    responseFormat: decodeResponseFormat(json.response_format),
    verbosity: readVerbosity(json.verbosity),
    logprobs: json.logprobs === true ? (readLimit(json, "top_logprobs", 0, ALTERNATIVES_MAX) ?? 0) : undefined,
    thinking: decodeThinking(json),
    drawing: readDrawing(json.modalities, json.image_config),
    user: readText(json.safety_identifier) || readText(json.user) || undefined,
    cacheKey: readText(json.prompt_cache_key) || undefined,
    extensions: Object.keys(own).length > 0 ? { [ID]: own } : undefined,
  });
}

function decodeTools(json: Json): Tool[] | undefined {
  const tools = readList(json.tools).filter((tool) => !isGoogleSearch(tool));
  if (tools.length === 0) return undefined;
  return tools.map((tool) => {
    const { name, description, parameters, strict } = readObject(readObject(tool).function);
    if (typeof name !== "string" || name === "") throw new InvalidRequest("a tool must have a name", "tools");
    return defined({
      name,
      description: readText(description) || undefined,
      parameters: parameters === undefined || parameters === null ? undefined : readObject(parameters),
      strict: typeof strict === "boolean" ? strict : undefined,
      cache: markOf(readObject(tool)),
    });
  });
}

/** A choice among some of the tools leaves only those. */
function decodeChoice(
  tools: readonly Tool[] | undefined,
  choice: unknown,
  searches: boolean,
): Pick<ChatRequest, "tools" | "toolChoice"> {
  const { type, allowed_tools: given } = readObject(choice);
  if (type !== "allowed_tools") return defined({ tools, toolChoice: decodeToolChoice(choice, searches) });
  const { mode, tools: listed } = readObject(given);
  const names = new Set(readList(listed).map((tool) => readText(readObject(readObject(tool).function).name)));
  const allowed = tools?.filter(({ name }) => names.has(name)) ?? [];
  if (allowed.length === 0) throw new InvalidRequest("tool_choice must allow one of the tools", "tool_choice");
  return defined({ tools: allowed, toolChoice: decodeToolChoice(mode, searches) });
}

function decodeToolChoice(value: unknown, searches: boolean): ToolChoice | undefined {
  if (value === undefined || value === null) return undefined;
  if (value === "auto" || value === "none" || value === "required") return { type: value };
  const name = readText(readObject(readObject(value).function).name);
  if (name === "") throw new InvalidRequest("tool_choice must be auto, none, required or a function", "tool_choice");
  return { type: "tool", name: searches && isGoogleSearch(value) ? WEB_SEARCH : name };
}

function decodeResponseFormat(value: unknown): ResponseFormat | undefined {
  if (value === undefined || value === null) return undefined;
  const { type, json_schema: given } = readObject(value);
  if (type === "text") return { type: "text" };
  if (type === "json_object") return { type: "json" };
  if (type !== "json_schema") {
    throw new InvalidRequest("response_format must be text, json_object or json_schema", "response_format");
  }
  const { name, schema, strict, description } = readObject(given);
  if (typeof schema !== "object" || schema === null) {
    throw new InvalidRequest("response_format must have a schema", "response_format");
  }
  return defined({
    type: "json-schema" as const,
    name: readText(name) || "response",
    schema: readObject(schema),
    strict: typeof strict === "boolean" ? strict : undefined,
    description: readText(description) || undefined,
  });
}

/**
 * Accepts OpenAI's `reasoning_effort`, OpenRouter's `reasoning` object, Anthropic's `thinking` object, which several
 * upstreams of this format take, Qwen's `enable_thinking`, also among vLLM's `chat_template_kwargs`, or Google's `thinking_config`.
 */
export function decodeThinking({
  reasoning_effort: effort,
  reasoning,
  thinking,
  extra_body: extra,
  enable_thinking: switched,
  thinking_budget: thoughts,
  chat_template_kwargs: template,
}: Readonly<Json>): Thinking | undefined {
  const { type, budget_tokens: budget } = readObject(thinking);
  // Clients that always send an effort switch thinking off beside it.
  const { enable_thinking: inTemplate = readObject(template).thinking } = readObject(template);
  if (type === "disabled" || switched === false || inTemplate === false) return { type: "off" };
  if (effort !== undefined && effort !== null) return decodeEffort(effort, "reasoning_effort");
  const { effort: word, max_tokens: tokens, enabled } = readObject(reasoning);
  if (word !== undefined && word !== null) return decodeEffort(word, "reasoning");
  if (typeof tokens === "number" && tokens > 0) return { type: "budget", tokens };
  if (typeof enabled === "boolean") return enabled ? { type: "effort", effort: "medium" } : { type: "off" };
  if (typeof thoughts === "number" && thoughts > 0) return { type: "budget", tokens: thoughts };
  if (type === "adaptive" || switched === true || inTemplate === true) return { type: "effort", effort: "medium" };
  if (type !== "enabled") return decodeGoogles(readObject(readObject(readObject(extra).google).thinking_config));
  return typeof budget === "number" && budget > 0
    ? { type: "budget", tokens: budget }
    : { type: "effort", effort: "medium" };
}

function decodeEffort(value: unknown, param: string): Thinking {
  if (value === "none") return { type: "off" };
  if (value === "max") return { type: "effort", effort: "xhigh" };
  if (isEffort(value)) return { type: "effort", effort: value };
  throw new InvalidRequest(`${param} must be none, minimal, low, medium, high, xhigh or max`, param);
}
