import type { Json } from "../../canonical/json";
import type { ChatRequest, ResponseFormat, Thinking, Tool, ToolChoice } from "../../canonical/request";
import { defined } from "../defined";
import type { UpstreamTarget } from "../dialect";
import { refuseLimits } from "../limit";
import { strictOf } from "../strict-schema";
import { effortOf } from "../thinking-budget";
import { functionChoice, wantedSearch } from "../web-search";
import { encodeMessages } from "./encode-messages";
import { limits } from "./limits";
import { encodeWebSearch } from "./web-search";

/** Only OpenAI's own models take fields of OpenAI's that others may refuse. */
const OPENAI_MODELS = /(?:^|\/)(?:gpt-(?!oss)|o\d|chatgpt-|codex-)/;

/** Canonical request → chat completions request. Throws InvalidRequest. */
export function encodeRequest(request: ChatRequest, target: UpstreamTarget): Json {
  refuseLimits(limits.upstream, request);
  const { responseFormat, thinking } = request;
  const webSearch = wantedSearch(request);
  const toolChoice = functionChoice(request);
  const isOpenAi = OPENAI_MODELS.test(target.model);
  return defined({
    ...request.extensions?.["openai-chat"],
    model: target.model,
    messages: encodeMessages(request.messages),
    stream: request.isStream || undefined,
    tools: request.tools?.map(encodeTool),
    tool_choice: toolChoice && encodeToolChoice(toolChoice),
    parallel_tool_calls: request.tools ? request.parallelToolCalls : undefined,
    // The name that every upstream of this format accepts, unlike max_completion_tokens.
    max_tokens: request.maxTokens,
    temperature: request.temperature,
    top_p: request.topP,
    presence_penalty: request.presencePenalty,
    frequency_penalty: request.frequencyPenalty,
    stop: request.stop,
    seed: request.seed,
    n: request.choices,
    response_format: responseFormat && encodeResponseFormat(responseFormat),
    reasoning_effort: thinking && encodeEffort(thinking),
    user: request.user,
    verbosity: isOpenAi ? request.verbosity : undefined,
    prompt_cache_key: isOpenAi ? request.cacheKey : undefined,
    logprobs: request.logprobs === undefined ? undefined : true,
    top_logprobs: request.logprobs || undefined,
    web_search_options: webSearch && encodeWebSearch(webSearch),
  });
}

function encodeTool(tool: Tool): Json {
  const { name, description, parameters } = tool;
  return { type: "function", function: defined({ name, description, parameters, strict: strictOf(tool) }) };
}

function encodeToolChoice(choice: ToolChoice): unknown {
  return choice.type === "tool" ? { type: "function", function: { name: choice.name } } : choice.type;
}

function encodeResponseFormat(format: ResponseFormat): Json {
  if (format.type === "text") return { type: "text" };
  if (format.type === "json") return { type: "json_object" };
  const { name, description, schema, strict } = format;
  return { type: "json_schema", json_schema: defined({ name, description, schema, strict }) };
}

function encodeEffort(thinking: Thinking): string | undefined {
  if (thinking.type === "off") return undefined;
  return thinking.type === "effort" ? thinking.effort : effortOf(thinking.tokens);
}
