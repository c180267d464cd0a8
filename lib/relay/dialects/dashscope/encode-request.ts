import { type Json, readObject } from "../../canonical/json";
import type { ChatRequest, ResponseFormat, Thinking, Tool, ToolChoice } from "../../canonical/request";
import { defined } from "../defined";
import type { Edits, UpstreamTarget } from "../dialect";
import { refuseLimits } from "../limit";
import { BUDGET_BY_EFFORT } from "../thinking-budget";
import { encodeMessages } from "./encode-messages";
import { limits } from "./limits";
import { isMultimodal, readModelName } from "./models";

/** The number of seeds, which begin at 0. */
const SEEDS = 2 ** 31;
/** Must be less than 2. */
const TEMPERATURE_MAX = 1.99;

/** Canonical request → request of the native API. Throws InvalidRequest. */
export function encodeRequest(request: ChatRequest, target: UpstreamTarget): Json {
  refuseLimits(limits.upstream, { ...request, model: target.model });
  const { model, searches } = readModelName(target.model);
  return {
    model,
    input: { messages: encodeMessages(request.messages, isMultimodal(model)) },
    parameters: { ...encodeParameters(request), ...(searches ? { enable_search: true } : {}) },
  };
}

function encodeParameters(request: ChatRequest): Json {
  const { tools, toolChoice, responseFormat, thinking, temperature } = request;
  return defined({
    result_format: "message",
    incremental_output: request.isStream || undefined,
    max_tokens: request.maxTokens,
    temperature: temperature === undefined ? undefined : Math.min(temperature, TEMPERATURE_MAX),
    top_p: request.topP,
    top_k: request.topK,
    presence_penalty: request.presencePenalty,
    stop: request.stop,
    seed: request.seed === undefined ? undefined : Math.floor(Math.abs(request.seed)) % SEEDS,
    n: request.choices,
    tools: tools?.map(encodeTool),
    tool_choice: tools && toolChoice ? encodeToolChoice(toolChoice) : undefined,
    parallel_tool_calls: tools ? request.parallelToolCalls : undefined,
    response_format: responseFormat && encodeResponseFormat(responseFormat),
    ...(thinking ? encodeThinking(thinking) : {}),
  });
}

function encodeTool({ name, description, parameters }: Tool): Json {
  return { type: "function", function: defined({ name, description, parameters }) };
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

function encodeThinking(thinking: Thinking): Json {
  if (thinking.type === "off") return { enable_thinking: false };
  const budget = thinking.type === "budget" ? thinking.tokens : BUDGET_BY_EFFORT[thinking.effort];
  return { enable_thinking: true, thinking_budget: budget };
}

export function readCompletionMax(json: Json): number | null {
  const { max_tokens: max } = readObject(json.parameters);
  return typeof max === "number" ? max : null;
}

export function capEdits(json: Json, tokens: number): Edits {
  const max = Math.min(readCompletionMax(json) ?? tokens, tokens);
  return { parameters: { ...readObject(json.parameters), max_tokens: max } };
}
