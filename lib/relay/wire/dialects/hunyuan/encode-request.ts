import type { Json } from "../../canonical/json";
import type { ChatRequest, Thinking, Tool, ToolChoice } from "../../canonical/request";
import { defined } from "../common/defined";
import { refuseLimits } from "../common/limit";
import { systemText } from "../common/turns";
import type { UpstreamTarget } from "../dialect";
import { jsonSentence } from "../schemas/json-sentence";
import { encodeMessages } from "./encode-messages";
import { limits } from "./limits";

/** Canonical request → ChatCompletions request. Throws InvalidRequest. */
export function encodeRequest(request: ChatRequest, target: UpstreamTarget): Json {
  refuseLimits(limits.upstream, request);
  const { temperature, topP, tools = [], toolChoice, thinking } = request;
  const system = [systemText(request.messages), jsonSentence(request.responseFormat)].filter((text) => text !== "");
  return defined({
    Model: target.model,
    Messages: encodeMessages(request.messages, system.join("\n\n")),
    Stream: request.isStream,
    TopP: topP === undefined ? undefined : Math.min(topP, 1),
    Temperature: temperature === undefined ? undefined : Math.min(temperature, 2),
    Seed: request.seed === undefined ? undefined : seedWithin(request.seed),
    Stop: request.stop,
    EnableThinking: thinking && isThinking(thinking),
    ...(tools.length > 0 ? { Tools: tools.map(encodeTool), ...encodeToolChoice(toolChoice, tools) } : {}),
  });
}

const SEED_MAX = 10_000;

/** From 1 to the highest; the same seed gives the same one. */
function seedWithin(seed: number): number {
  const whole = Math.floor(Math.abs(seed));
  return whole >= 1 && whole <= SEED_MAX ? whole : 1 + (whole % SEED_MAX);
}

function isThinking(thinking: Thinking): boolean {
  return thinking.type !== "off" && !(thinking.type === "budget" && thinking.tokens === 0);
}

function encodeTool({ name, description, parameters = { type: "object", properties: {} } }: Tool): Json {
  return {
    Type: "function",
    Function: defined({ Name: name, Description: description, Parameters: JSON.stringify(parameters) }),
  };
}

function encodeToolChoice(choice: ToolChoice | undefined, tools: readonly Tool[]): Json {
  if (!choice) return {};
  if (choice.type === "auto" || choice.type === "none") return { ToolChoice: choice.type };
  const wanted = choice.type === "tool" ? tools.find(({ name }) => name === choice.name) : tools[0];
  return {
    ToolChoice: "custom",
    CustomTool: encodeTool(wanted ?? { name: choice.type === "tool" ? choice.name : "" }),
  };
}
