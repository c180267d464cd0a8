import type { Rules } from "../../../../model-rules/schema";
import type { Json } from "../../canonical/json";
import type { ChatRequest, ResponseFormat, Tool, ToolChoice } from "../../canonical/request";
import { defined } from "../common/defined";
import { refuseLimits } from "../common/limit";
import { effortFor, rulesFor } from "../common/thinking-words";
import { choosesSearch } from "../common/web-search";
import type { UpstreamTarget } from "../dialect";
import { OPENAI_MODELS } from "../openai-chat/encode-request";
import { strictOf } from "../schemas/strict-schema";
import { encodeMessages } from "./encode-messages";
import { limits } from "./limits";
import { encodeWebSearch } from "./web-search";

/** OpenAI refuses lower limits. */
const MAX_TOKENS_LEAST = 16;
/** Without this the thoughts could not be sent back; models that do not think refuse it. */
const SEALED_THOUGHTS = "reasoning.encrypted_content";

/** Canonical request → responses request. Throws InvalidRequest. */
export function encodeRequest(request: ChatRequest, target: UpstreamTarget): Json {
  refuseLimits(limits.upstream, request);
  const { toolChoice, responseFormat, maxTokens, tools = [], webSearch, verbosity, logprobs } = request;
  const rules = rulesFor(target);
  const reasoning = encodeReasoning(request, rules);
  const isThinker = OPENAI_MODELS.test(target.model) && rules.thinks !== "never";
  return defined({
    ...request.extensions?.["openai-responses"],
    model: target.model,
    ...encodeMessages(request.messages),
    stream: request.isStream || undefined,
    // The client sends the whole conversation each time.
    store: false,
    include: encodeInclude(request, reasoning?.summary !== undefined || (isThinker && reasoning?.effort !== "none")),
    tools:
      request.tools || webSearch
        ? [...tools.map(encodeTool), ...(webSearch ? [encodeWebSearch(webSearch)] : [])]
        : undefined,
    tool_choice: choosesSearch(request) ? { type: "web_search" } : toolChoice && encodeToolChoice(toolChoice),
    max_tool_calls: webSearch?.maxUses,
    parallel_tool_calls: request.tools ? request.parallelToolCalls : undefined,
    max_output_tokens: maxTokens === undefined ? undefined : Math.max(MAX_TOKENS_LEAST, maxTokens),
    temperature: request.temperature,
    top_p: request.topP,
    text:
      responseFormat || verbosity
        ? defined({ format: responseFormat && encodeFormat(responseFormat), verbosity })
        : undefined,
    top_logprobs: logprobs || undefined,
    prompt_cache_key: request.cacheKey,
    reasoning,
    user: request.user,
  });
}

function encodeInclude({ webSearch, logprobs }: ChatRequest, thinks: boolean): string[] | undefined {
  const include = [
    ...(thinks ? [SEALED_THOUGHTS] : []),
    ...(webSearch ? ["web_search_call.action.sources"] : []),
    ...(logprobs === undefined ? [] : ["message.output_text.logprobs"]),
  ];
  return include.length > 0 ? include : undefined;
}

/** Unlike other formats, this one takes functions as strict where nothing is said. */
function encodeTool(tool: Tool): Json {
  const { name, description, parameters } = tool;
  const schema = parameters ?? { type: "object", properties: {} };
  return defined({ type: "function", name, description, parameters: schema, strict: strictOf(tool) ?? false });
}

function encodeToolChoice(choice: ToolChoice): unknown {
  return choice.type === "tool" ? { type: "function", name: choice.name } : choice.type;
}

function encodeFormat(format: ResponseFormat): Json {
  if (format.type === "text") return { type: "text" };
  if (format.type === "json") return { type: "json_object" };
  const { name, description, schema, strict } = format;
  return defined({ type: "json_schema", name, description, schema, strict });
}

/** Thoughts are told only as a summary, and only where one is asked for. */
function encodeReasoning({ thinking }: ChatRequest, rules: Rules): Json | undefined {
  const effort = thinking && effortFor(thinking, rules);
  if (effort === undefined) return undefined;
  return thinking?.type === "off" ? { effort } : { effort, summary: "auto" };
}
