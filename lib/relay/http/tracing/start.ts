import type { Env } from "@/lib/env";
import { type Protocol, setProcessTracing, type Tracing } from "./trace";

type Wanted = Pick<
  Env,
  | "OTEL_SDK_DISABLED"
  | "OTEL_TRACES_EXPORTER"
  | "OTEL_EXPORTER_OTLP_ENDPOINT"
  | "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT"
  | "OTEL_EXPORTER_OTLP_PROTOCOL"
  | "OTEL_EXPORTER_OTLP_TRACES_PROTOCOL"
  | "OTEL_METRICS_EXPORTER"
  | "OTEL_EXPORTER_OTLP_METRICS_ENDPOINT"
  | "OTEL_EXPORTER_OTLP_METRICS_PROTOCOL"
  | "WEIR_TRACE_UPSTREAMS"
>;

/** Starts tracing in this process. Null = it is off, and nothing of OpenTelemetry is loaded. Rejects for an exporter or a protocol that is not there. */
export async function startTracing(env: Wanted): Promise<Tracing | null> {
  if (!isWanted(env)) return null;
  const protocol = protocolOf("OTEL_EXPORTER_OTLP_TRACES_PROTOCOL", env);
  const metrics = wantsMetrics(env) ? protocolOf("OTEL_EXPORTER_OTLP_METRICS_PROTOCOL", env) : null;
  const { createTracing } = await import("./sdk");
  const tracing = createTracing({ protocol, tellsUpstreams: env.WEIR_TRACE_UPSTREAMS, metrics });
  setProcessTracing(tracing);
  return tracing;
}

const ENDPOINTS = [
  "OTEL_EXPORTER_OTLP_ENDPOINT",
  "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT",
  "OTEL_EXPORTER_OTLP_METRICS_ENDPOINT",
] as const;

/** Throws for an exporter, a protocol or an address that is not there, as a start of tracing would. */
export function checkTracing(env: Wanted): void {
  if (!isWanted(env)) return;
  for (const name of ENDPOINTS) {
    const endpoint = env[name]?.trim();
    if (endpoint && !/^https?:\/\/[^/]/i.test(endpoint)) throw new Error(`${name} must begin with http:// or https://`);
    if (endpoint && !URL.canParse(endpoint)) throw new Error(`${name} must be a complete URL`);
  }
  protocolOf("OTEL_EXPORTER_OTLP_TRACES_PROTOCOL", env);
  if (wantsMetrics(env)) protocolOf("OTEL_EXPORTER_OTLP_METRICS_PROTOCOL", env);
}

function isWanted(env: Wanted): boolean {
  if (env.OTEL_SDK_DISABLED?.trim().toLowerCase() === "true") return false;
  const exporter = env.OTEL_TRACES_EXPORTER?.trim();
  if (exporter === "none") return false;
  if (exporter === "otlp") return true;
  if (exporter) throw new Error(`OTEL_TRACES_EXPORTER: "${exporter}" is not there; use otlp or none`);
  return Boolean(env.OTEL_EXPORTER_OTLP_TRACES_ENDPOINT ?? env.OTEL_EXPORTER_OTLP_ENDPOINT);
}

/** Only where they are asked for: many collectors of traces take no metrics. */
function wantsMetrics(env: Wanted): boolean {
  const exporter = env.OTEL_METRICS_EXPORTER?.trim();
  if (exporter === "none") return false;
  if (exporter && exporter !== "otlp")
    throw new Error(`OTEL_METRICS_EXPORTER: "${exporter}" is not there; use otlp or none`);
  return exporter === "otlp" || Boolean(env.OTEL_EXPORTER_OTLP_METRICS_ENDPOINT);
}

function protocolOf(
  own: "OTEL_EXPORTER_OTLP_TRACES_PROTOCOL" | "OTEL_EXPORTER_OTLP_METRICS_PROTOCOL",
  env: Wanted,
): Protocol {
  const asked = env[own] ?? env.OTEL_EXPORTER_OTLP_PROTOCOL ?? "http/protobuf";
  if (asked === "http/protobuf" || asked === "http/json") return asked;
  throw new Error(`OTEL_EXPORTER_OTLP_PROTOCOL: "${asked}" is not there; use http/protobuf or http/json`);
}
