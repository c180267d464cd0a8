import type { Rules } from "../../../../model-rules/schema";
import type { Json } from "../../canonical/json";
import type { ChatRequest, ResponseFormat, TextPart, Thinking, Tool, ToolChoice } from "../../canonical/request";
import { defined } from "../common/defined";
import { refuseLimits } from "../common/limit";
import { threeEffort } from "../common/thinking-budget";
import { effortFor, rulesFor } from "../common/thinking-words";
import type { UpstreamTarget } from "../dialect";
import { closedSchema } from "../schemas/closed-schema";
import { jsonSentence } from "../schemas/json-sentence";
import { inlineReferences } from "../schemas/schema-references";
import { cachePoint, isNova } from "./cache-point";
import { encodeMessages } from "./encode-messages";
import { limits } from "./limits";

const NO_TOOLS = "Do not use any tool.";

/** Canonical request → Converse request. Throws InvalidRequest. */
export function encodeRequest(request: ChatRequest, target: UpstreamTarget): Json {
  const { model } = target;
  const rules = rulesFor(target, "bedrock");
  refuseLimits(limits.upstream, request);
  const format = encodeFormat(request.responseFormat, rules);
  const system = encodeSystem(request, model, format ? "" : jsonSentence(request.responseFormat));
  const config = encodeConfig(request);
  const more = encodeMore(request, model, rules);
  return defined({
    messages: encodeMessages(request.messages, model),
    system: system.length > 0 ? system : undefined,
    inferenceConfig: Object.keys(config).length > 0 ? config : undefined,
    toolConfig: encodeTools(request, model, rules),
    additionalModelRequestFields: Object.keys(more).length > 0 ? more : undefined,
    outputConfig: format,
  });
}

/** `sentence`: asks for JSON where the model has no structured outputs, or not for such a schema. */
function encodeSystem(request: ChatRequest, model: string, sentence: string): Json[] {
  const said = request.messages.flatMap((message): readonly TextPart[] =>
    message.role === "system" || message.role === "developer" ? message.content : [],
  );
  const blocks = said.flatMap(({ text, cache }) => (text.trim() === "" ? [] : [{ text }, ...cachePoint(cache, model)]));
  const asked = [sentence, forbidsInWords(request) ? NO_TOOLS : ""];
  return [...blocks, ...asked.flatMap((text) => (text === "" ? [] : [{ text }]))];
}

function encodeFormat(format: ResponseFormat | undefined, rules: Rules): Json | undefined {
  if (format?.type !== "json-schema" || rules.answerSchema !== true) return undefined;
  const schema = closedSchema(format.schema, rules);
  if (schema === null) return undefined;
  const { name, description } = format;
  const jsonSchema = defined({ schema: JSON.stringify(schema), name, description });
  return { textFormat: { type: "json_schema", structure: { jsonSchema } } };
}

function encodeConfig({ maxTokens, temperature, topP, stop }: ChatRequest): Json {
  return defined({
    maxTokens,
    temperature: temperature === undefined ? undefined : Math.min(1, Math.max(0, temperature)),
    topP,
    stopSequences: stop && stop.length > 0 ? stop : undefined,
  });
}

/** Fields of single models. */
function encodeMore({ thinking, topK }: ChatRequest, model: string, rules: Rules): Json {
  const inferenceConfig = isNova(model) && topK !== undefined ? { topK } : undefined;
  return defined({ inferenceConfig, ...encodeThinking(thinking, rules) });
}

function encodeThinking(thinking: Thinking | undefined, rules: Rules): Json {
  if (!thinking) return {};
  if (rules.word === "effort") return defined({ reasoning_effort: effortFor(thinking, rules) });
  if (rules.word !== "reasoningConfig") return {};
  if (thinking.type === "off") return { reasoningConfig: { type: "disabled" } };
  // Nova refuses a token limit beside "high", and every request may get one.
  return {
    reasoningConfig: { type: "enabled", maxReasoningEffort: threeEffort(thinking) === "low" ? "low" : "medium" },
  };
}

function hasCalls({ messages }: ChatRequest): boolean {
  return messages.some(
    (message) =>
      message.role === "tool" ||
      (message.role === "assistant" && message.content.some(({ type }) => type === "tool-call")),
  );
}

/** Calls in history need their tools, and there is no word for none of them. */
function forbidsInWords(request: ChatRequest): boolean {
  return hasCalls(request) && (request.toolChoice?.type === "none" || !request.tools?.length);
}

function encodeTools(request: ChatRequest, model: string, rules: Rules): Json | undefined {
  const { tools = [], toolChoice } = request;
  const isForbidden = toolChoice?.type === "none";
  if (isForbidden && !hasCalls(request)) return undefined;
  const given = tools.length > 0 ? tools : calledTools(request);
  if (given.length === 0) return undefined;
  const choice = toolChoice && !isForbidden && tools.length > 0 ? encodeToolChoice(toolChoice) : undefined;
  return defined({ tools: given.map((tool) => encodeTool(tool, model, rules)), toolChoice: choice });
}

function calledTools({ messages }: ChatRequest): Tool[] {
  const names = messages.flatMap((message) =>
    message.role === "assistant"
      ? message.content.flatMap((part) => (part.type === "tool-call" ? [part.name] : []))
      : [],
  );
  return [...new Set(names)].map((name) => ({ name }));
}

/**
 * Nova refuses other words at the root of a schema: https://docs.aws.amazon.com/nova/latest/userguide/tool-use-definition.html
 * Models with structured outputs take only what `closedSchema` writes.
 */
function encodeTool({ name, description, parameters, strict }: Tool, model: string, rules: Rules): Json {
  const plain: Json = parameters ? { ...parameters, type: "object" } : { type: "object", properties: {} };
  const closed = strict === true && rules.answerSchema === true ? closedSchema(plain, rules) : null;
  const schema = isNova(model) ? novaSchema(plain) : (closed ?? plain);
  const toolSpec = defined({
    name,
    description: description || undefined,
    inputSchema: { json: schema },
    strict: closed ? true : undefined,
  });
  return { toolSpec };
}

function novaSchema(given: Json): Json {
  const { properties = {}, required } = inlineReferences(given);
  return defined({ type: "object", properties, required });
}

function encodeToolChoice(choice: ToolChoice): Json {
  if (choice.type === "tool") return { tool: { name: choice.name } };
  return choice.type === "required" ? { any: {} } : { auto: {} };
}
