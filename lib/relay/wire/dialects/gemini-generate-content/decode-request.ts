import { type Json, readArray, readObject, readText } from "../../canonical/json";
import type { ChatRequest, ResponseFormat, Tool, ToolChoice } from "../../canonical/request";
import { InvalidRequest } from "../../canonical/wire-error";
import { defined } from "../common/defined";
import { refuseLimits } from "../common/limit";
import { ALTERNATIVES_MAX } from "../common/openai/openai-logprobs";
import { readLimit, readNumber, readTexts } from "../common/request-fields";
import { readDrawing } from "../pictures/drawing";
import { isStrictSchema } from "../schemas/strict-schema";
import { decodeMessages } from "./decode-messages";
import { modalitiesOf, readFacts } from "./facts";
import { declarationsOf, field, generationConfig, objectField, toolsOf, usualNames } from "./fields";
import { limits } from "./limits";
import { closeObjects, toJsonSchema } from "./schema";
import { decodeThinking } from "./thinking";
import { decodeWebSearch } from "./web-search";

const NUMBERS = ["temperature", "topP", "topK", "presencePenalty", "frequencyPenalty", "seed", "stopSequences"];

/** Request → canonical request. Throws InvalidRequest. */
export function decodeRequest(json: Json, path: string): ChatRequest {
  const { model, isStream, choices, completionTokensMax } = readFacts(json, path);
  refuseLimits(limits.caller, json);
  const config = generationConfig(json);
  const given = usualNames(config, NUMBERS);
  const { choice, allowed } = decodeToolChoice(json);
  return defined({
    model,
    messages: decodeMessages(json),
    isStream,
    tools: decodeTools(json, allowed),
    toolChoice: choice,
    webSearch: decodeWebSearch(json),
    maxTokens: completionTokensMax ?? undefined,
    temperature: readNumber(given, "temperature"),
    topP: readNumber(given, "topP"),
    topK: readNumber(given, "topK"),
    presencePenalty: readNumber(given, "presencePenalty"),
    frequencyPenalty: readNumber(given, "frequencyPenalty"),
    stop: readTexts(given, "stopSequences"),
    logprobs: decodeLogprobs(config),
    seed: readNumber(given, "seed"),
    choices: choices === 1 ? undefined : choices,
    responseFormat: decodeFormat(config),
    drawing: readDrawing(modalitiesOf(json), objectField(config, "imageConfig")),
    thinking: decodeThinking(objectField(config, "thinkingConfig")),
  });
}

/** `logprobs` is the number of alternatives. Throws InvalidRequest. */
function decodeLogprobs(config: Json): number | undefined {
  if (field(config, "responseLogprobs") !== true) return undefined;
  return readLimit(config, "logprobs", 0, ALTERNATIVES_MAX) ?? 0;
}

/** `allowed`: only these may be called; null = all. */
function decodeTools(json: Json, allowed: readonly string[] | null): Tool[] | undefined {
  const declared = toolsOf(json).flatMap(declarationsOf);
  const names = new Set(allowed);
  const tools = allowed === null ? declared : declared.filter(({ name }) => names.has(readText(name)));
  if (tools.length === 0) return undefined;
  return tools.map((tool) => {
    if (readText(tool.name) === "") throw new InvalidRequest("a function must have a name", "tools");
    return defined({
      name: readText(tool.name),
      description: readText(tool.description) || undefined,
      parameters: decodeParameters(tool),
    });
  });
}

function decodeParameters(tool: Json): Json | undefined {
  const schema = field(tool, "parametersJsonSchema");
  if (schema !== undefined && schema !== null) return readObject(schema);
  const { parameters } = tool;
  return parameters === undefined || parameters === null ? undefined : toJsonSchema(readObject(parameters));
}

function decodeToolChoice(json: Json): { choice: ToolChoice | undefined; allowed: readonly string[] | null } {
  const config = objectField(objectField(json, "toolConfig"), "functionCallingConfig");
  const names = readArray(field(config, "allowedFunctionNames")).map(readText);
  const mode = readText(config.mode).toUpperCase();
  const [only = ""] = names;
  switch (mode) {
    case "":
    case "MODE_UNSPECIFIED":
      return { choice: undefined, allowed: null };
    case "AUTO":
    case "VALIDATED":
      return { choice: { type: "auto" }, allowed: names.length > 0 ? names : null };
    case "NONE":
      return { choice: { type: "none" }, allowed: null };
    case "ANY":
      if (names.length === 1) return { choice: { type: "tool", name: only }, allowed: null };
      return { choice: { type: "required" }, allowed: names.length > 0 ? names : null };
    default:
      throw new InvalidRequest("functionCallingConfig.mode must be AUTO, ANY, NONE or VALIDATED", "toolConfig");
  }
}

function decodeFormat(config: Json): ResponseFormat | undefined {
  const type = readText(field(config, "responseMimeType"));
  if (type === "" || type === "text/plain") return undefined;
  if (type !== "application/json" && type !== "text/x.enum") {
    throw new InvalidRequest("responseMimeType must be text/plain or application/json", "responseMimeType");
  }
  const plain = field(config, "responseJsonSchema");
  const own = field(config, "responseSchema");
  if (plain === undefined && own === undefined) return { type: "json" };
  const schema = plain === undefined ? closeObjects(toJsonSchema(readObject(own))) : readObject(plain);
  // Other dialects want a name. Google keeps to its schemas always.
  const strict = isStrictSchema(schema) || undefined;
  return defined({ type: "json-schema" as const, name: "response", schema, strict });
}
