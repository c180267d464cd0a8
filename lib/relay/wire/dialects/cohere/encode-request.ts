import type { Json } from "../../canonical/json";
import type { ChatRequest, ResponseFormat, Tool } from "../../canonical/request";
import { defined } from "../common/defined";
import { refuseLimits } from "../common/limit";
import { rulesFor } from "../common/thinking-words";
import type { UpstreamTarget } from "../dialect";
import { encodeMessages } from "./encode-messages";
import { limits } from "./limits";
import { encodeThinking } from "./thinking";

/** Canonical request → chat request. Throws InvalidRequest. */
export function encodeRequest(request: ChatRequest, target: UpstreamTarget): Json {
  const { model } = target;
  refuseLimits(limits.upstream, request);
  const { responseFormat, stop } = request;
  return defined({
    model,
    messages: encodeMessages(request.messages),
    stream: request.isStream || undefined,
    ...encodeTools(request),
    max_tokens: request.maxTokens,
    temperature: request.temperature,
    p: within(request.topP, 0.01, 0.99),
    k: within(request.topK, 0, 500),
    presence_penalty: within(request.presencePenalty, 0, 1),
    frequency_penalty: within(request.frequencyPenalty, 0, 1),
    stop_sequences: stop && stop.length > 0 ? stop : undefined,
    seed: request.seed,
    response_format: responseFormat && encodeFormat(responseFormat),
    thinking: encodeThinking(request, rulesFor(target, "cohere")),
  });
}

function within(value: number | undefined, min: number, max: number): number | undefined {
  return value === undefined ? undefined : Math.min(max, Math.max(min, value));
}

function encodeTools({ tools, toolChoice }: ChatRequest): Json {
  if (!tools || tools.length === 0) return {};
  // There is no word for a single tool: the others are left out.
  const offered = toolChoice?.type === "tool" ? tools.filter(({ name }) => name === toolChoice.name) : tools;
  return defined({
    tools: offered.map(encodeTool),
    strict_tools: offered.every(canBeStrict) || undefined,
    tool_choice: encodeChoice(toolChoice?.type),
  });
}

function encodeChoice(type: "auto" | "none" | "required" | "tool" | undefined): string | undefined {
  if (type === "none") return "NONE";
  return type === "required" || type === "tool" ? "REQUIRED" : undefined;
}

/** Cohere keeps to a tool's schema only where it requires a parameter. */
function canBeStrict({ strict, parameters }: Tool): boolean {
  return strict === true && Array.isArray(parameters?.required) && parameters.required.length > 0;
}

function encodeTool({ name, description, parameters }: Tool): Json {
  const schema = parameters ?? { type: "object", properties: {} };
  return { type: "function", function: defined({ name, description, parameters: schema }) };
}

function encodeFormat(format: ResponseFormat): Json {
  if (format.type === "text") return { type: "text" };
  return format.type === "json" ? { type: "json_object" } : { type: "json_object", json_schema: format.schema };
}
