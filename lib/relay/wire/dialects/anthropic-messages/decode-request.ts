import { type Json, readObject, readText } from "../../canonical/json";
import type { ChatRequest, Message, ResponseFormat, Tool, ToolChoice } from "../../canonical/request";
import { InvalidRequest } from "../../canonical/wire-error";
import { defined } from "../common/defined";
import { refuseLimits } from "../common/limit";
import { readNumber, readTexts } from "../common/request-fields";
import { isStrictSchema } from "../schemas/strict-schema";
import { blocksOf } from "./blocks";
import { decodeMessages, decodeTexts, markOf } from "./decode-messages";
import { readFacts, toolsOf } from "./facts";
import { limits } from "./limits";
import { decodeThinking } from "./thinking";
import { isToolSearch } from "./tool-search";
import { decodeWebSearch, isSearchTool } from "./web-search";

/** Messages request → canonical request. Throws InvalidRequest. */
export function decodeRequest(json: Json): ChatRequest {
  const { model, isStream, completionTokensMax } = readFacts(json);
  refuseLimits(limits.caller, json);
  const outputConfig = readObject(json.output_config);
  const toolChoice = readObject(json.tool_choice);
  return defined({
    model,
    messages: [...decodeSystem(json.system), ...decodeMessages(json)],
    isStream,
    tools: decodeTools(json),
    webSearch: decodeWebSearch(toolsOf(json)),
    toolChoice: decodeToolChoice(toolChoice),
    parallelToolCalls: toolChoice.disable_parallel_tool_use === true ? false : undefined,
    maxTokens: completionTokensMax ?? undefined,
    temperature: readNumber(json, "temperature"),
    topP: readNumber(json, "top_p"),
    topK: readNumber(json, "top_k"),
    stop: readTexts(json, "stop_sequences"),
    responseFormat: decodeFormat(outputConfig.format ?? json.output_format),
    thinking: decodeThinking(readObject(json.thinking), outputConfig),
    user: readText(readObject(json.metadata).user_id) || undefined,
  });
}

function decodeSystem(system: unknown): Message[] {
  const content = decodeTexts(blocksOf(system), "system");
  return content.length > 0 ? [{ role: "system", content }] : [];
}

function decodeTools(json: Json): Tool[] | undefined {
  const tools = toolsOf(json).filter((tool) => !isSearchTool(tool) && !isToolSearch(tool));
  if (tools.length === 0) return undefined;
  return tools.map((tool) => {
    const { name, description, input_schema: schema, strict } = tool;
    if (readText(name) === "") throw new InvalidRequest("a tool must have a name", "tools");
    return defined({
      name: readText(name),
      description: readText(description) || undefined,
      parameters: schema === undefined || schema === null ? undefined : readObject(schema),
      strict: typeof strict === "boolean" ? strict : undefined,
      cache: markOf(tool),
    });
  });
}

function decodeToolChoice({ type, name }: Json): ToolChoice | undefined {
  switch (type) {
    case undefined:
    case null:
      return undefined;
    case "auto":
    case "none":
      return { type };
    case "any":
      return { type: "required" };
    case "tool":
      if (readText(name) !== "") return { type: "tool", name: readText(name) };
  }
  throw new InvalidRequest("tool_choice must be auto, any, none or a tool", "tool_choice");
}

function decodeFormat(value: unknown): ResponseFormat | undefined {
  if (value === undefined || value === null) return undefined;
  const { type, schema } = readObject(value);
  if (type !== "json_schema" || typeof schema !== "object" || schema === null) {
    throw new InvalidRequest("output_config.format must be a json_schema", "output_config");
  }
  // OpenAI requires a name. Anthropic keeps to schemas always.
  const strict = isStrictSchema(readObject(schema)) || undefined;
  return defined({ type: "json-schema" as const, name: "response", schema: readObject(schema), strict });
}
