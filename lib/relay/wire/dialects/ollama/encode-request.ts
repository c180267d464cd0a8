import type { Rules } from "../../../../model-rules/schema";
import type { Json } from "../../canonical/json";
import type { ChatRequest, ResponseFormat, Thinking, Tool } from "../../canonical/request";
import { offerTools } from "../common/calls/forced-call";
import { defined } from "../common/defined";
import { refuseLimits } from "../common/limit";
import { threeEffort } from "../common/thinking-budget";
import { leastEffort, rulesFor } from "../common/thinking-words";
import type { UpstreamTarget } from "../dialect";
import { encodeMessages } from "./encode-messages";
import { limits } from "./limits";

/** Canonical request → chat request. Throws InvalidRequest. */
export function encodeRequest(request: ChatRequest, target: UpstreamTarget): Json {
  refuseLimits(limits.upstream, request);
  const rules = rulesFor(target, "ollama");
  const { tools, messages } = offerTools(request);
  const options = encodeOptions(request);
  return defined({
    model: target.model,
    messages: encodeMessages(messages, rules.thoughtsBack),
    // Without it, Ollama streams.
    stream: request.isStream,
    tools: tools.length > 0 ? tools.map(encodeTool) : undefined,
    format: encodeFormat(request.responseFormat),
    think: encodeThinking(request.thinking, rules),
    options: Object.keys(options).length > 0 ? options : undefined,
  });
}

function encodeOptions(request: ChatRequest): Json {
  const { stop } = request;
  return defined({
    num_predict: request.maxTokens,
    temperature: request.temperature,
    top_p: request.topP,
    top_k: request.topK,
    presence_penalty: request.presencePenalty,
    frequency_penalty: request.frequencyPenalty,
    seed: request.seed,
    stop: stop && stop.length > 0 ? stop : undefined,
  });
}

function encodeTool({ name, description, parameters }: Tool): Json {
  const schema = parameters ?? { type: "object", properties: {} };
  return { type: "function", function: defined({ name, description, parameters: schema }) };
}

function encodeFormat(format: ResponseFormat | undefined): unknown {
  if (!format || format.type === "text") return undefined;
  return format.type === "json" ? "json" : format.schema;
}

/** The field `think`: a word for gpt-oss, else yes or no; undefined = the model's own way. */
function encodeThinking(thinking: Thinking | undefined, rules: Rules): boolean | string | undefined {
  if (!thinking || rules.thinks === "never") return undefined;
  // gpt-oss always thinks.
  if (rules.thinks === "always" && rules.word === "effort" && leastEffort(rules)) {
    return thinking.type === "off" ? leastEffort(rules) : threeEffort(thinking);
  }
  if (thinking.type === "off") return false;
  // A model without thoughts refuses the wish, and one that has them thinks where nothing is said.
  return rules.thinks === undefined ? undefined : true;
}
