import type { Json } from "../../canonical/json";
import type { ChatRequest, ResponseFormat, Tool, ToolChoice } from "../../canonical/request";
import { defined } from "../common/defined";
import { refuseLimits } from "../common/limit";
import { rulesFor, thinkingFields } from "../common/thinking-words";
import { functionChoice, wantedSearch } from "../common/web-search";
import type { UpstreamTarget } from "../dialect";
import { chatDrawing } from "../pictures/drawing";
import { strictOf } from "../schemas/strict-schema";
import { encodeMessages } from "./encode-messages";
import { limits } from "./limits";
import { encodeWebSearch } from "./web-search";

/** Only OpenAI's own models take fields of OpenAI's that others may refuse. */
export const OPENAI_MODELS = /(?:^|\/)(?:gpt-(?!oss)|o\d|chatgpt-|codex-)/;

/** Canonical request → chat completions request. Throws InvalidRequest. */
export function encodeRequest(request: ChatRequest, target: UpstreamTarget): Json {
  refuseLimits(limits.upstream, request);
  const { responseFormat, thinking } = request;
  const webSearch = wantedSearch(request);
  const toolChoice = functionChoice(request);
  const isOpenAi = OPENAI_MODELS.test(target.model);
  const rules = rulesFor(target);
  return defined({
    ...request.extensions?.["openai-chat"],
    model: target.model,
    messages: encodeMessages(request.messages, rules.thoughtsBack),
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
    user: request.user,
    verbosity: isOpenAi ? request.verbosity : undefined,
    prompt_cache_key: isOpenAi ? request.cacheKey : undefined,
    logprobs: request.logprobs === undefined ? undefined : true,
    top_logprobs: request.logprobs || undefined,
    web_search_options: webSearch && encodeWebSearch(webSearch),
    ...(thinking && thinkingFields(thinking, rules, request)),
    ...(request.drawing ? chatDrawing(request.drawing) : {}),
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
