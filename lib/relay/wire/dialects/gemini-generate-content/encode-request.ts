import type { Rules } from "../../../../model-rules/schema";
import type { Json } from "../../canonical/json";
import type { ChatRequest, ResponseFormat, Tool, ToolChoice } from "../../canonical/request";
import { defined } from "../common/defined";
import { refuseLimits } from "../common/limit";
import { isBlank } from "../common/plain-content";
import { rulesFor } from "../common/thinking-words";
import { functionChoice, wantedSearch } from "../common/web-search";
import type { UpstreamTarget } from "../dialect";
import { googleDrawing } from "../pictures/drawing";
import { jsonSentence } from "../schemas/json-sentence";
import { encodeMessages } from "./encode-messages";
import { limits } from "./limits";
import { isNewest, isOld } from "./models";
import { toOldSchema } from "./schema";
import { encodeThinking } from "./thinking";

const TEMPERATURE_MAX = 2;

/** Canonical request → request. Throws InvalidRequest. */
export function encodeRequest(request: ChatRequest, target: UpstreamTarget): Json {
  const { model, safety } = target;
  refuseLimits(limits.upstream, request);
  const { tools = [] } = request;
  const webSearch = wantedSearch(request);
  const toolChoice = functionChoice(request);
  const config = encodeConfig(request, model, rulesFor(target));
  const hasTools = tools.length > 0;
  const functions = hasTools ? [{ functionDeclarations: tools.map((tool) => encodeTool(tool, model)) }] : [];
  const allTools = webSearch ? [...functions, { googleSearch: {} }] : functions;
  return defined({
    contents: encodeMessages(request.messages, model),
    systemInstruction: encodeSystem(request, asksInWords(request, model) ? jsonSentence(request.responseFormat) : ""),
    tools: allTools.length > 0 ? allTools : undefined,
    toolConfig: hasTools && toolChoice ? { functionCallingConfig: encodeToolChoice(toolChoice) } : undefined,
    generationConfig: Object.keys(config).length > 0 ? config : undefined,
    safetySettings: safety && encodeSafety(safety),
  });
}

/** Before Gemini 3, functions beside a JSON answer are refused: then the answer is asked for in words. */
function asksInWords({ tools = [] }: ChatRequest, model: string): boolean {
  return tools.length > 0 && !isNewest(model);
}

function encodeSystem({ messages }: ChatRequest, sentence: string): Json | undefined {
  const said = messages.flatMap((message) =>
    message.role === "system" || message.role === "developer" ? message.content.map(({ text }) => text) : [],
  );
  const parts = [...said, sentence].flatMap((text) => (isBlank(text) ? [] : [{ text }]));
  return parts.length > 0 ? { parts } : undefined;
}

function encodeTool({ name, description, parameters }: Tool, model: string): Json {
  if (!isOld(model)) return defined({ name, description, parametersJsonSchema: parameters });
  const schema = parameters && toOldSchema(parameters);
  // Parameters without properties are refused.
  const hasProperties = schema?.properties !== undefined;
  return defined({ name, description, parameters: hasProperties ? schema : undefined });
}

function encodeToolChoice(choice: ToolChoice): Json {
  switch (choice.type) {
    case "auto":
      return { mode: "AUTO" };
    case "none":
      return { mode: "NONE" };
    case "required":
      return { mode: "ANY" };
    case "tool":
      return { mode: "ANY", allowedFunctionNames: [choice.name] };
  }
}

function encodeConfig(request: ChatRequest, model: string, rules: Rules): Json {
  const { temperature } = request;
  const { sampling = [] } = rules;
  return defined({
    temperature: temperature === undefined ? undefined : Math.min(TEMPERATURE_MAX, temperature),
    topP: request.topP,
    topK: request.topK,
    maxOutputTokens: request.maxTokens,
    stopSequences: request.stop && request.stop.length > 0 ? request.stop : undefined,
    seed: request.seed,
    presencePenalty: sampling.includes("presencePenalty") ? undefined : request.presencePenalty,
    frequencyPenalty: sampling.includes("frequencyPenalty") ? undefined : request.frequencyPenalty,
    candidateCount: request.choices,
    responseLogprobs: request.logprobs === undefined ? undefined : true,
    logprobs: request.logprobs || undefined,
    ...(asksInWords(request, model) ? {} : encodeFormat(request.responseFormat, model)),
    thinkingConfig: encodeThinking(request, rules),
    ...(request.drawing ? googleDrawing(request.drawing) : {}),
  });
}

function encodeFormat(format: ResponseFormat | undefined, model: string): Json {
  if (!format || format.type === "text") return {};
  if (format.type === "json") return { responseMimeType: "application/json" };
  const schema = isOld(model) ? { responseSchema: toOldSchema(format.schema) } : { responseJsonSchema: format.schema };
  return { responseMimeType: "application/json", ...schema };
}

/** The categories that all Gemini models have. */
const USUAL = [
  "HARM_CATEGORY_HARASSMENT",
  "HARM_CATEGORY_HATE_SPEECH",
  "HARM_CATEGORY_SEXUALLY_EXPLICIT",
  "HARM_CATEGORY_DANGEROUS_CONTENT",
  "HARM_CATEGORY_CIVIC_INTEGRITY",
];

/** The thresholds of an operator as Google takes them; undefined = none is set. */
function encodeSafety(thresholds: Readonly<Record<string, string>>): Json[] | undefined {
  const { default: usual, ...named } = thresholds;
  const all: Record<string, string> = usual === undefined ? {} : Object.fromEntries(USUAL.map((name) => [name, usual]));
  const settings = Object.entries({ ...all, ...named }).map(([category, threshold]) => ({ category, threshold }));
  return settings.length > 0 ? settings : undefined;
}
