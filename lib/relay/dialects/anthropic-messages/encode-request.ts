import type { Json } from "../../canonical/json";
import type { ChatRequest, ResponseFormat, TextPart } from "../../canonical/request";
import { closedSchema } from "../closed-schema";
import { defined } from "../defined";
import type { UpstreamTarget } from "../dialect";
import { jsonSentence } from "../json-sentence";
import { refuseLimits } from "../limit";
import { isBlank } from "../plain-content";
import { encodeMessages } from "./encode-messages";
import { limits } from "./limits";
import { encodeThinking, maxTokensOf, takesSampling, takesSchema } from "./thinking";
import { encodeTools } from "./tools";

/** Canonical request → messages request. Throws InvalidRequest. */
export function encodeRequest(request: ChatRequest, target: UpstreamTarget): Json {
  refuseLimits(limits.upstream, request);
  const { maxTokens, thinking, effort } = encodeThinking(
    request,
    target.model,
    maxTokensOf(target.model, target.maxTokens),
  );
  const stop = request.stop?.filter((text) => /\S/.test(text));
  const format = encodeFormat(request.responseFormat, target.model);
  const output = defined({ effort: effort ?? undefined, format });
  return defined({
    model: target.model,
    max_tokens: maxTokens,
    system: encodeSystem(request, format ? "" : jsonSentence(request.responseFormat)),
    messages: encodeMessages(request.messages),
    stream: request.isStream || undefined,
    ...encodeTools(request, target.model),
    ...(thinking === null && takesSampling(target.model) ? encodeSampling(request) : {}),
    stop_sequences: stop && stop.length > 0 ? stop : undefined,
    thinking: thinking ?? undefined,
    output_config: Object.keys(output).length > 0 ? output : undefined,
    metadata: request.user === undefined ? undefined : { user_id: request.user },
  });
}

function encodeFormat(format: ResponseFormat | undefined, model: string): Json | undefined {
  const schema = format?.type === "json-schema" && takesSchema(model) ? closedSchema(format.schema) : null;
  return schema === null ? undefined : { type: "json_schema", schema };
}

/** All system messages and the sentence as one prompt; a plain string unless a part has a cache mark. */
function encodeSystem({ messages }: ChatRequest, sentence: string): unknown {
  const parts: TextPart[] = messages.flatMap((message) =>
    message.role === "system" || message.role === "developer" ? message.content : [],
  );
  const said = parts.filter(({ text }) => !isBlank(text));
  if (sentence !== "") said.push({ type: "text", text: sentence });
  if (said.length === 0) return undefined;
  if (said.every(({ cache }) => cache === undefined)) return said.map(({ text }) => text).join("\n\n");
  return said.map(({ text, cache }) => defined({ type: "text", text, cache_control: cache }));
}

/** Sends top_p only without temperature, because several models accept only one of them. */
function encodeSampling({ temperature, topP, topK }: ChatRequest): Json {
  return defined({
    temperature: temperature === undefined ? undefined : Math.min(1, Math.max(0, temperature)),
    top_p: temperature === undefined ? topP : undefined,
    top_k: topK,
  });
}
