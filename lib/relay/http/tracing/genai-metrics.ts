import type { Attributes, Counter, Histogram } from "@opentelemetry/api";
import { OTLPExporterBase } from "@opentelemetry/otlp-exporter-base";
import { convertLegacyHttpOptions, createOtlpHttpExportDelegate } from "@opentelemetry/otlp-exporter-base/node-http";
import {
  JsonMetricsSerializer,
  MetricsExporterMetricsHelper,
  ProtobufMetricsSerializer,
} from "@opentelemetry/otlp-transformer";
import type { Resource } from "@opentelemetry/resources";
import { MeterProvider, PeriodicExportingMetricReader, type ResourceMetrics } from "@opentelemetry/sdk-metrics";
import { outgoingAgent } from "@/lib/egress";
import type { Settled } from "../attempts";
import type { Protocol } from "./trace";

const INTERVAL_MS = 60_000;
const CONNECT_MS = 10_000;
/** The SDK does not know the proxies of the environment. */
export const EXPORT_AGENT = {
  httpAgentOptions: (protocol: string) => outgoingAgent(protocol === "http:" ? "http:" : "https:", CONNECT_MS),
};
/** The buckets that the conventions ask for. */
const SECONDS = Array.from({ length: 14 }, (_, power) => 0.01 * 2 ** power);
const TOKENS = Array.from({ length: 14 }, (_, power) => 4 ** power);

/** One request to an upstream. `attributes`: of its span. */
export type Measured = { attributes: Attributes; durationMs: number; errorType: string | null };

export type GenaiMetrics = {
  /** `settled`: null = it delivered nothing that was charged. */
  record(attempt: Measured, settled: Settled | null, firstChunkMs: number | null): void;
  stop(): Promise<void>;
};

/** The metrics that OpenTelemetry's conventions for GenAI (v0.1.0) name for a client's inference, over OTLP. */
export function createGenaiMetrics(protocol: Protocol, resource: Resource, schemaUrl: string): GenaiMetrics {
  const exportIntervalMillis = Number(process.env.OTEL_METRIC_EXPORT_INTERVAL) || INTERVAL_MS;
  const reader = new PeriodicExportingMetricReader({
    exporter: createExporter(protocol),
    exportIntervalMillis,
    exportTimeoutMillis: Math.min(exportIntervalMillis, 30_000),
  });
  const provider = new MeterProvider({ resource, readers: [reader] });
  const meter = provider.getMeter("weir", undefined, { schemaUrl });
  const histogram = (name: string, unit: string, boundaries: number[]): Histogram =>
    meter.createHistogram(`gen_ai.client.inference.${name}`, {
      unit,
      advice: { explicitBucketBoundaries: boundaries },
    });
  const counter = (name: string): Counter =>
    meter.createCounter(`gen_ai.client.inference.usage.${name}`, { unit: "{token}" });
  const duration = histogram("duration", "s", SECONDS);
  const firstChunk = histogram("time_to_first_chunk", "s", SECONDS);
  const perOperation = {
    input: histogram("operation.input_tokens", "{token}", TOKENS),
    output: histogram("operation.output_tokens", "{token}", TOKENS),
  };
  const usageCounters = {
    input: counter("input_tokens"),
    output: counter("output_tokens"),
    cacheRead: counter("cache_read.input_tokens"),
    cacheWrite: counter("cache_write.input_tokens"),
    reasoning: counter("reasoning.output_tokens"),
  };
  return {
    record({ attributes, durationMs, errorType }, settled, firstChunkMs) {
      const names = dimensions(attributes);
      const ended = errorType === null ? names : { ...names, "error.type": errorType };
      duration.record(durationMs / 1_000, ended);
      if (firstChunkMs !== null) firstChunk.record(firstChunkMs / 1_000, names);
      if (settled) countTokens(settled, { names, ended, perOperation, usageCounters });
    },
    stop: () => provider.shutdown(),
  };
}

type Instruments = {
  names: Attributes;
  ended: Attributes;
  perOperation: { input: Histogram; output: Histogram };
  usageCounters: Record<"input" | "output" | "cacheRead" | "cacheWrite" | "reasoning", Counter>;
};

/** Sound is counted apart; what else is text and what pictures, upstreams do not say alike. */
function countTokens(
  { settlement: { usage }, delivery: { report } }: Settled,
  { names, ended, perOperation, usageCounters }: Instruments,
): void {
  const unknown = { ...names, "gen_ai.token.modality": "unknown" };
  const audio = { ...names, "gen_ai.token.modality": "audio" };
  const add = (to: Counter, tokens: number, of: Attributes): void => {
    if (tokens > 0) to.add(tokens, of);
  };
  add(usageCounters.input, usage.promptTokens - usage.audioPromptTokens, unknown);
  add(usageCounters.input, usage.audioPromptTokens, audio);
  add(usageCounters.output, usage.completionTokens - usage.audioCompletionTokens, unknown);
  add(usageCounters.output, usage.audioCompletionTokens, audio);
  add(usageCounters.cacheRead, usage.cachedTokens, unknown);
  add(usageCounters.cacheWrite, usage.cacheWriteTokens, unknown);
  add(usageCounters.reasoning, report?.usage?.reasoningTokens ?? 0, unknown);
  perOperation.input.record(usage.promptTokens, ended);
  perOperation.output.record(usage.completionTokens, ended);
}

const DIMENSIONS = [
  "gen_ai.operation.name",
  "gen_ai.provider.name",
  "gen_ai.request.model",
  "server.address",
  "server.port",
] as const;

/** Few values each: the upstream's models and addresses are those of channels. What an upstream calls its model is its own affair. */
function dimensions(attributes: Attributes): Attributes {
  return Object.fromEntries(
    DIMENSIONS.flatMap((name) => (attributes[name] === undefined ? [] : [[name, attributes[name]]])),
  );
}

function createExporter(protocol: Protocol): OTLPExporterBase<ResourceMetrics> {
  const isJson = protocol === "http/json";
  const headers = { "Content-Type": isJson ? "application/json" : "application/x-protobuf" };
  return new OTLPExporterBase(
    createOtlpHttpExportDelegate(
      convertLegacyHttpOptions(EXPORT_AGENT, "METRICS", "v1/metrics", headers),
      isJson ? JsonMetricsSerializer : ProtobufMetricsSerializer,
      "otlp_http_metric_exporter",
      MetricsExporterMetricsHelper,
      undefined,
    ),
  );
}
