import type { Json } from "../../canonical/json";
import type { ChatRequest, ResponseFormat, Tool, ToolChoice } from "../../canonical/request";
import { defined } from "../common/defined";
import { refuseLimits } from "../common/limit";
import { systemText } from "../common/turns";
import type { Edits, UpstreamTarget } from "../dialect";
import { schemaSentence } from "../schemas/json-sentence";
import { encodeMessages } from "./encode-messages";
import { limits } from "./limits";

const TEMPERATURE_MIN = 0.01;
const OUTPUT_TOKENS_MIN = 2;

/** Canonical request → request of Wenxin Workshop. The path names the model. Throws InvalidRequest. */
export function encodeRequest(request: ChatRequest, _target: UpstreamTarget): Json {
  refuseLimits(limits.upstream, request);
  const { temperature, topP, frequencyPenalty, maxTokens, responseFormat, toolChoice } = request;
  const tools = toolChoice?.type === "none" ? [] : (request.tools ?? []);
  const system = [systemText(request.messages), schemaSentence(responseFormat)]
    .filter((text) => text !== "")
    .join("\n\n");
  // The provider takes no system prompt beside functions.
  const hasTools = tools.length > 0;
  return defined({
    messages: encodeMessages(request.messages, hasTools ? system : ""),
    system: hasTools || system === "" ? undefined : system,
    stream: request.isStream || undefined,
    functions: hasTools ? tools.map(encodeTool) : undefined,
    tool_choice: hasTools ? encodeToolChoice(toolChoice, tools) : undefined,
    temperature: temperature === undefined ? undefined : within(temperature, TEMPERATURE_MIN, 1),
    top_p: topP === undefined ? undefined : within(topP, 0, 1),
    penalty_score: frequencyPenalty === undefined ? undefined : within(1 + frequencyPenalty / 2, 1, 2),
    max_output_tokens: maxTokens === undefined ? undefined : Math.max(maxTokens, OUTPUT_TOKENS_MIN),
    stop: request.stop,
    response_format: encodeFormat(responseFormat),
    user_id: request.user,
  });
}

function within(value: number, min: number, max: number): number {
  return Math.min(Math.max(value, min), max);
}

function encodeTool({ name, description, parameters }: Tool): Json {
  return { name, description: description || name, parameters: withProperties(parameters) };
}

/** Without parameters the provider wants this form. */
function withProperties(parameters: Json = {}): Json {
  return parameters.properties === undefined ? { ...parameters, type: "object", properties: {} } : parameters;
}

function encodeToolChoice(choice: ToolChoice | undefined, [only]: readonly Tool[]): Json | undefined {
  if (choice?.type === "tool") return forced(choice.name);
  return choice?.type === "required" && only ? forced(only.name) : undefined;
}

function forced(name: string): Json {
  return { type: "function", function: { name } };
}

function encodeFormat(format: ResponseFormat | undefined): string | undefined {
  if (!format) return undefined;
  return format.type === "text" ? "text" : "json_object";
}

export function readCompletionMax({ max_output_tokens: max }: Json): number | null {
  return typeof max === "number" ? max : null;
}

export function capEdits(json: Json, tokens: number): Edits {
  return { max_output_tokens: Math.max(Math.min(readCompletionMax(json) ?? tokens, tokens), OUTPUT_TOKENS_MIN) };
}
