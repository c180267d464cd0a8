import type { Rules } from "../../../../model-rules/schema";
import type { Json } from "../../canonical/json";
import type { ChatRequest, ResponseFormat, Thinking, Tool, ToolChoice } from "../../canonical/request";
import { defined } from "../common/defined";
import { refuseLimits } from "../common/limit";
import { threeEffort } from "../common/thinking-budget";
import { leastEffort, rulesFor } from "../common/thinking-words";
import type { UpstreamTarget } from "../dialect";
import { encodeMessages } from "./encode-messages";
import { limits } from "./limits";

/** Canonical request → input of a run; the path names the model. Throws InvalidRequest. */
export function encodeRequest(request: ChatRequest, target: UpstreamTarget): Json {
  refuseLimits(limits.upstream, request);
  const { tools = [], toolChoice, thinking } = request;
  const hasTools = tools.length > 0;
  return defined({
    messages: encodeMessages(request.messages),
    stream: request.isStream || undefined,
    tools: hasTools ? tools.map(encodeTool) : undefined,
    tool_choice: hasTools && toolChoice ? encodeChoice(toolChoice) : undefined,
    max_tokens: request.maxTokens,
    temperature: within(request.temperature, 0, 5),
    top_p: within(request.topP, 0.001, 1),
    top_k: within(request.topK, 1, 50),
    stop: request.stop && request.stop.length > 0 ? request.stop : undefined,
    seed: request.seed,
    presence_penalty: request.presencePenalty,
    frequency_penalty: request.frequencyPenalty,
    response_format: encodeFormat(request.responseFormat),
    reasoning_effort: thinking && encodeEffort(thinking, rulesFor(target, "cloudflare")),
  });
}

function within(value: number | undefined, min: number, max: number): number | undefined {
  return value === undefined ? undefined : Math.min(max, Math.max(min, value));
}

/** A model that always thinks is asked for the least where it should not. */
function encodeEffort(thinking: Thinking, rules: Rules): string | undefined {
  if (thinking.type !== "off") return threeEffort(thinking);
  return rules.thinks === "always" ? leastEffort(rules) : undefined;
}

function encodeTool({ name, description = "", parameters }: Tool): Json {
  const schema = parameters ?? { type: "object", properties: {} };
  return { type: "function", function: { name, description, parameters: schema } };
}

function encodeChoice(choice: ToolChoice): unknown {
  return choice.type === "tool" ? { type: "function", function: { name: choice.name } } : choice.type;
}

/** The schema itself, without the envelope that OpenAI has around it. */
function encodeFormat(format: ResponseFormat | undefined): Json | undefined {
  if (!format || format.type === "text") return undefined;
  return format.type === "json" ? { type: "json_object" } : { type: "json_schema", json_schema: format.schema };
}
