import { type Json, readObject } from "../../canonical/json";
import type { ChatRequest, ResponseFormat, Tool, ToolChoice } from "../../canonical/request";
import { defined } from "../common/defined";
import { refuseLimits } from "../common/limit";
import { BUDGET_BY_EFFORT } from "../common/thinking-budget";
import type { Edits, UpstreamTarget } from "../dialect";
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
    ...encodeLimits(request),
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
    enable_thinking: thinking && thinking.type !== "off",
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

/** Share of a limit for thinking when the client gave an effort instead of a budget. */
const BUDGET_SHARE = 0.8;

/** `max_tokens` limits what follows the thoughts, and `thinking_budget` the thoughts: together they keep the client's limit. */
function encodeLimits({ thinking, maxTokens }: ChatRequest): Json {
  if (!thinking || thinking.type === "off") return defined({ max_tokens: maxTokens });
  const wanted = thinking.type === "budget" ? thinking.tokens : BUDGET_BY_EFFORT[thinking.effort];
  if (maxTokens === undefined) return { thinking_budget: wanted };
  return shared(maxTokens, wanted, thinking.type === "effort" ? Math.floor(maxTokens * BUDGET_SHARE) : maxTokens - 1);
}

/** A limit for thoughts and answer together; each has one token at least. */
function shared(tokens: number, wanted: number, room: number): Json {
  const budget = Math.max(1, Math.min(wanted, room));
  return { max_tokens: Math.max(1, tokens - budget), thinking_budget: budget };
}

/** Of thoughts and answer together. */
export function readCompletionMax(json: Json): number | null {
  const { max_tokens: max, enable_thinking: thinks, thinking_budget: budget } = readObject(json.parameters);
  if (typeof max !== "number") return null;
  return thinks === true && typeof budget === "number" ? max + budget : max;
}

export function capEdits(json: Json, tokens: number): Edits {
  const parameters = readObject(json.parameters);
  const { thinking_budget: budget, enable_thinking: thinks } = parameters;
  const max = Math.min(readCompletionMax(json) ?? tokens, tokens);
  const limits =
    thinks === true && typeof budget === "number"
      ? shared(max, budget, Math.floor(max * BUDGET_SHARE))
      : { max_tokens: max };
  return { parameters: { ...parameters, ...limits } };
}
