import type { Attributes } from "@opentelemetry/api";
import type { OperationId } from "@/lib/operations";
import { channelTypes } from "@/lib/provider-catalogue";
import { CHANNEL_TYPE } from "@/lib/provider-catalogue/channel-type-ids";
import type { SnapshotChannel } from "@/lib/snapshot/store";
import { codeOf } from "../../wire/canonical/wire-error";
import type { AttemptNote } from "../attempts";
import type { Exchange } from "../exchange";
import type { RequestTarget } from "../on-end";
import { askedAttributes } from "./asked-attributes";
import type { AskedFor, Traceable } from "./request-trace";
import type { OwnCall } from "./trace";

/** The name of a model in a path, as Google's clients and some older ones send it. */
const MODEL_IN_PATH = /\/(models|engines|deployments)\/[^/]+?(?=:[a-zA-Z]+$|\/|$)/;

/** Upstreams may send names of any length. */
const NAME_MAX = 256;

/** Known where the path is one of the operation's own, or has nothing but the name of a model beside. */
function routeOf(endpoint: RequestTarget): string | null {
  const { operation } = endpoint;
  if (!operation && endpoint.kind !== "count") return null;
  const route = endpoint.path.replace(MODEL_IN_PATH, "/$1/{model}").replace(/^\/v1beta\d+\//, "/v1beta/");
  const isOwn = !operation || operation.endpoints.some(({ path }) => path === endpoint.path);
  return isOwn || route !== endpoint.path ? route : null;
}

export function nameOfRequest({ request }: Exchange, endpoint: RequestTarget): string {
  const route = routeOf(endpoint);
  return route === null ? (request.method ?? "HTTP") : `${request.method} ${route}`;
}

/** What is known at the start, for samplers. The query is left out: it may have the caller's key. */
export function atRequest({ id, request }: Exchange, endpoint: RequestTarget): Attributes {
  const route = routeOf(endpoint);
  return {
    "http.request.method": request.method ?? "",
    "url.path": endpoint.path,
    ...(route === null ? {} : { "http.route": route }),
    ...(endpoint.operation ? { "gen_ai.operation.name": operationName(endpoint.operation.id) } : {}),
    "weir.request.id": id,
  };
}

/** `error`: why the span is one of an error; null = it is not. By OpenTelemetry's conventions a 4xx of a server is none. */
export function afterRequest(exchange: Exchange): { attributes: Attributes; error: string | null } {
  const { owner, failure, response, overheadMs, model, hasBroken, settled } = exchange;
  const status = failure?.status ?? (response.headersSent ? response.statusCode : null);
  const outcome = settled?.delivery.outcome;
  const isError = hasBroken || (status ?? 0) >= 500 || outcome === "cut";
  const error = isError ? (failure ? codeOf(failure.error) : (outcome ?? "internal")) : null;
  const attributes: Attributes = {
    "weir.attempts": settled?.delivery.attempts?.length ?? exchange.tried.length,
    ...(status === null ? {} : { "http.response.status_code": status }),
    ...(error === null ? {} : { "error.type": error }),
    ...(model === "" ? {} : { "gen_ai.request.model": model }),
    ...(owner ? { "weir.user.id": owner.user.id, "weir.token.id": owner.token.id } : {}),
    ...(overheadMs === null ? {} : { "weir.overhead_ms": overheadMs }),
    ...(settled ? { "weir.quota": settled.settlement.quota, "weir.channel.id": settled.settlement.channelId } : {}),
    ...(outcome ? { "weir.outcome": outcome } : {}),
  };
  return { attributes, error };
}

export function attemptAttributes(
  operation: string,
  channel: SnapshotChannel,
  request: Traceable,
  asked: AskedFor,
): Attributes {
  return {
    "gen_ai.operation.name": operation,
    ...upstreamAttributes(channel, request),
    ...askedAttributes(operation, asked),
  };
}

export function ownAttributes({ purpose, operation, channel, request }: OwnCall): Attributes {
  return {
    ...(operation === null ? {} : { "gen_ai.operation.name": operationName(operation) }),
    ...upstreamAttributes(channel, request),
    "weir.purpose": purpose,
  };
}

export function endOfOwn(status: number | null): { attributes: Attributes; error: string | null } {
  const error = status === null ? "unreachable" : status >= 400 ? String(status) : null;
  return {
    attributes: {
      ...(status === null ? {} : { "http.response.status_code": status }),
      ...(error === null ? {} : { "error.type": error }),
    },
    error,
  };
}

function upstreamAttributes(channel: SnapshotChannel, request: Traceable): Attributes {
  const { hostname, port, protocol } = new URL(request.origin);
  return {
    "gen_ai.provider.name": providerName(channel.type),
    ...(request.model === "" ? {} : { "gen_ai.request.model": request.model }),
    "server.address": hostname,
    "server.port": Number(port) || (/^(https|wss):$/.test(protocol) ? 443 : 80),
    "weir.channel.id": channel.id,
    "weir.channel.type": channel.type,
  };
}

export function endOfAttempt({ outcome, status, cause }: AttemptNote): Attributes {
  return {
    "weir.outcome": outcome,
    ...(status === undefined ? {} : { "http.response.status_code": status }),
    ...(cause === undefined ? {} : { "error.type": status === undefined ? cause : String(status) }),
  };
}

/** `startMs`: when the attempt began, in the time of its request. */
export function usageAttributes({ settled }: Exchange, startMs: number): Attributes {
  if (!settled) return {};
  const { report } = settled.delivery;
  const { usage, firstTokenMs, isStream } = settled.settlement;
  const { id = "", model = "" } = report?.answered?.() ?? {};
  const reasoning = report?.usage?.reasoningTokens ?? 0;
  return {
    ...(id === "" ? {} : { "gen_ai.response.id": id.slice(0, NAME_MAX) }),
    ...(model === "" ? {} : { "gen_ai.response.model": model.slice(0, NAME_MAX) }),
    ...(reasoning > 0 ? { "gen_ai.usage.reasoning.output_tokens": reasoning } : {}),
    ...(usage.audioPromptTokens > 0 ? { "gen_ai.usage.audio.input_tokens": usage.audioPromptTokens } : {}),
    ...(usage.audioCompletionTokens > 0 ? { "gen_ai.usage.audio.output_tokens": usage.audioCompletionTokens } : {}),
    "gen_ai.usage.input_tokens": usage.promptTokens,
    "gen_ai.usage.output_tokens": usage.completionTokens,
    ...(usage.cachedTokens > 0 ? { "gen_ai.usage.cache_read.input_tokens": usage.cachedTokens } : {}),
    ...(usage.cacheWriteTokens > 0 ? { "gen_ai.usage.cache_write.input_tokens": usage.cacheWriteTokens } : {}),
    ...(usage.estimated ? { "weir.usage.estimated": true } : {}),
    ...(report?.finishReason
      ? { "gen_ai.response.finish_reasons": [report.finishReason.unified.replace("-", "_")] }
      : {}),
    ...(isStream && firstTokenMs !== null
      ? { "gen_ai.response.time_to_first_chunk": Math.max(0, firstTokenMs - startMs) / 1_000 }
      : {}),
  };
}

/** Well-known values of gen_ai.operation.name; other operations have their own name. */
const OPERATIONS: Partial<Record<OperationId, string>> = {
  completions: "text_completion",
};

export function operationName(operation: OperationId): string {
  return OPERATIONS[operation] ?? operation;
}

/** Well-known values of gen_ai.provider.name (OpenTelemetry's semantic conventions for GenAI). */
const PROVIDERS: ReadonlyMap<number, string> = new Map([
  [CHANNEL_TYPE.openai, "openai"],
  [CHANNEL_TYPE.azure, "azure.ai.openai"],
  [CHANNEL_TYPE.anthropic, "anthropic"],
  [CHANNEL_TYPE.gemini, "gcp.gemini"],
  [CHANNEL_TYPE.vertex, "gcp.vertex_ai"],
  [CHANNEL_TYPE.bedrock, "aws.bedrock"],
  [CHANNEL_TYPE.cohere, "cohere"],
  [CHANNEL_TYPE.mistral, "mistral_ai"],
  [CHANNEL_TYPE.deepseek, "deepseek"],
  [CHANNEL_TYPE.perplexity, "perplexity"],
  [CHANNEL_TYPE.xai, "x_ai"],
  [CHANNEL_TYPE.moonshot, "moonshot_ai"],
]);

function providerName(channelType: number): string {
  return PROVIDERS.get(channelType) ?? channelTypes.get(channelType)?.name.en.toLowerCase() ?? "custom";
}
