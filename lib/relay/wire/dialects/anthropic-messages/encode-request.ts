import type { Rules } from "../../../../model-rules/schema";
import type { Json } from "../../canonical/json";
import type { ChatRequest, ResponseFormat, TextPart } from "../../canonical/request";
import { forcedCallSentence } from "../common/calls/forced-call";
import { defined } from "../common/defined";
import { refuseLimits } from "../common/limit";
import { isBlank } from "../common/plain-content";
import { rulesFor } from "../common/thinking-words";
import type { UpstreamTarget } from "../dialect";
import { closedSchema } from "../schemas/closed-schema";
import { jsonSentence } from "../schemas/json-sentence";
import { encodeMessages } from "./encode-messages";
import { limits } from "./limits";
import { encodeThinking, maxTokensOf } from "./thinking";
import { encodeTools } from "./tools";

/** Canonical request → messages request. Throws InvalidRequest. */
export function encodeRequest(request: ChatRequest, target: UpstreamTarget): Json {
  refuseLimits(limits.upstream, request);
  const rules = rulesFor(target);
  const { maxTokens, thinking, effort } = encodeThinking(request, rules, maxTokensOf(target.model, target.maxTokens));
  const stop = request.stop?.filter((text) => /\S/.test(text));
  const format = encodeFormat(request.responseFormat, rules);
  const output = defined({ effort: effort ?? undefined, format });
  return defined({
    model: target.model,
    max_tokens: maxTokens,
    system: encodeSystem(request, [forcedCall(request, rules), format ? "" : jsonSentence(request.responseFormat)]),
    messages: encodeMessages(request.messages, rules.thoughtsBack !== undefined),
    stream: request.isStream || undefined,
    ...encodeTools(request, rules),
    ...((thinking === null || thinking.type === "disabled") && !rules.sampling ? encodeSampling(request) : {}),
    stop_sequences: stop && stop.length > 0 ? stop : undefined,
    thinking: thinking ?? undefined,
    output_config: Object.keys(output).length > 0 ? output : undefined,
    metadata: request.user === undefined ? undefined : { user_id: request.user },
  });
}

function encodeFormat(format: ResponseFormat | undefined, rules: Rules): Json | undefined {
  const isKept = format?.type === "json-schema" && rules.answerSchema !== false;
  const schema = isKept ? closedSchema(format.schema, rules) : null;
  return schema === null ? undefined : { type: "json_schema", schema };
}

/** All system messages and the sentences as one prompt; a plain string unless a part has a cache mark. */
function encodeSystem({ messages }: ChatRequest, sentences: readonly string[]): unknown {
  const parts: TextPart[] = messages.flatMap((message) =>
    message.role === "system" || message.role === "developer" ? message.content : [],
  );
  const said = parts.filter(({ text }) => !isBlank(text));
  for (const text of sentences) if (text !== "") said.push({ type: "text", text });
  if (said.length === 0) return undefined;
  if (said.every(({ cache }) => cache === undefined)) return said.map(({ text }) => text).join("\n\n");
  return said.map(({ text, cache }) => defined({ type: "text", text, cache_control: cache }));
}

/** Asks in words for the call that a model cannot be forced to; "" = nothing to ask for. */
function forcedCall({ toolChoice }: ChatRequest, { forcedTools }: Rules): string {
  return forcedTools === false ? forcedCallSentence(toolChoice) : "";
}

/** Sends top_p only without temperature, because several models accept only one of them. */
function encodeSampling({ temperature, topP, topK }: ChatRequest): Json {
  return defined({
    temperature: temperature === undefined ? undefined : Math.min(1, Math.max(0, temperature)),
    top_p: temperature === undefined ? topP : undefined,
    top_k: topK,
  });
}
