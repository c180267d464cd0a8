import { type Json, readObject } from "../../canonical/json";
import type { ChatRequest, Tool } from "../../canonical/request";
import { defined } from "../common/defined";
import { refuseLimits } from "../common/limit";
import type { Edits, UpstreamTarget } from "../dialect";
import { encodeMessages } from "./encode-messages";
import { limitsOf } from "./limits";
import { type SparkVersion, versionOf } from "./versions";

const TEMPERATURE_MIN = 0.01;
const TOP_K_MAX = 6;

/** Canonical request → Spark's, without the header, which depends on the key. Throws InvalidRequest. */
export function encodeRequest(request: ChatRequest, target: UpstreamTarget): Json {
  const version = versionOf(target.model, target.other ?? "");
  refuseLimits(limitsOf(version), request);
  const { tools = [], toolChoice } = request;
  const functions = toolChoice?.type === "none" ? [] : tools.map(encodeTool);
  return {
    parameter: { chat: encodeParameters(request, version, functions.length > 0) },
    payload: defined({
      message: { text: encodeMessages(request, version) },
      functions: functions.length > 0 ? { text: functions } : undefined,
    }),
  };
}

function encodeParameters(request: ChatRequest, { domain, thinks }: SparkVersion, hasFunctions: boolean): Json {
  const { temperature, topK, thinking } = request;
  const temperatureMax = thinks ? 2 : 1;
  return defined({
    domain,
    temperature:
      temperature === undefined ? undefined : Math.min(temperatureMax, Math.max(TEMPERATURE_MIN, temperature)),
    top_k: topK === undefined ? undefined : Math.min(TOP_K_MAX, Math.max(1, Math.round(topK))),
    max_tokens: request.maxTokens,
    function_choice: hasFunctions ? forcedFunction(request) : undefined,
    ...(thinks
      ? {
          top_p: request.topP,
          presence_penalty: request.presencePenalty,
          frequency_penalty: request.frequencyPenalty,
          thinking: thinking && { type: thinking.type === "off" ? "disabled" : "enabled" },
        }
      : {}),
  });
}

/** The function that must be called; undefined = the model decides. */
function forcedFunction({ tools, toolChoice }: ChatRequest): string | undefined {
  if (toolChoice?.type === "tool") return toolChoice.name;
  return toolChoice?.type === "required" ? tools?.[0]?.name : undefined;
}

function encodeTool({ name, description, parameters }: Tool): Json {
  return { name, description: description ?? "", parameters: parameters ?? { type: "object", properties: {} } };
}

export function readCompletionMax(json: Json): number | null {
  const { max_tokens: max } = readObject(readObject(json.parameter).chat);
  return typeof max === "number" ? max : null;
}

export function capEdits(json: Json, tokens: number): Edits {
  const parameter = readObject(json.parameter);
  return { parameter: { ...parameter, chat: { ...readObject(parameter.chat), max_tokens: tokens } } };
}
