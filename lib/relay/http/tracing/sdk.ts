import {
  type Attributes,
  trace as api,
  type Context,
  defaultTextMapGetter,
  defaultTextMapSetter,
  ROOT_CONTEXT,
  type Span,
  SpanKind,
  SpanStatusCode,
  type Tracer,
} from "@opentelemetry/api";
import { W3CTraceContextPropagator } from "@opentelemetry/core";
import { OTLPTraceExporter as JsonExporter } from "@opentelemetry/exporter-trace-otlp-http";
import { OTLPTraceExporter as ProtobufExporter } from "@opentelemetry/exporter-trace-otlp-proto";
import { defaultResource, detectResources, envDetector, resourceFromAttributes } from "@opentelemetry/resources";
import { BasicTracerProvider } from "@opentelemetry/sdk-trace-base";
import type { SnapshotChannel } from "@/lib/snapshot/store";
import type { AttemptNote, Settled } from "../attempts";
import type { Exchange } from "../exchange";
import type { RequestTarget } from "../on-end";
import {
  afterRequest,
  atRequest,
  attemptAttributes,
  endOfAttempt,
  endOfOwn,
  nameOfRequest,
  operationName,
  ownAttributes,
  usageAttributes,
} from "./attributes";
import { CountingProcessor } from "./exporting";
import { createGenaiMetrics, EXPORT_AGENT, type GenaiMetrics, type Measured } from "./genai-metrics";
import type { AskedFor, AttemptSpan, RequestTrace, Traceable } from "./request-trace";
import type { OwnCall, OwnSpan, Protocol, Tracing } from "./trace";

/** The conventions that the spans follow: their first release of their own. */
export const SCHEMA_URL = "https://opentelemetry.io/schemas/gen-ai/0.1.0";
const STOP_MS = 2_000;
const QUEUE_DEFAULT = 2_048;

/** `metrics`: how they are sent; null = they are not. */
type Wanted = { protocol: Protocol; tellsUpstreams: boolean; metrics: Protocol | null };

/** Beside genai-metrics, the only module that loads the OpenTelemetry SDK. The SDK reads its own environment variables. */
export function createTracing({ protocol, tellsUpstreams, metrics: wanted }: Wanted): Tracing {
  const exporter = protocol === "http/json" ? new JsonExporter(EXPORT_AGENT) : new ProtobufExporter(EXPORT_AGENT);
  const processor = new CountingProcessor(exporter, queueSize(process.env.OTEL_BSP_MAX_QUEUE_SIZE));
  const resource = defaultResource()
    .merge(resourceFromAttributes({ "service.name": "weir", "process.pid": process.pid }))
    .merge(detectResources({ detectors: [envDetector] }));
  const provider = new BasicTracerProvider({ resource, spanProcessors: [processor] });
  const tracer = provider.getTracer("weir", undefined, { schemaUrl: SCHEMA_URL });
  const metrics = wanted ? createGenaiMetrics(wanted, resource, SCHEMA_URL) : null;
  const propagator = new W3CTraceContextPropagator();
  const inject = (context: Context, headers: string[]): void => {
    if (!tellsUpstreams) return;
    const carrier: Record<string, string> = {};
    propagator.inject(context, carrier, defaultTextMapSetter);
    for (const [name, value] of Object.entries(carrier)) setHeader(headers, name, value);
  };
  return {
    begin(exchange, endpoint) {
      const parent = propagator.extract(ROOT_CONTEXT, exchange.request.headers, defaultTextMapGetter);
      const options = { kind: SpanKind.SERVER, attributes: atRequest(exchange, endpoint) };
      const span = tracer.startSpan(nameOfRequest(exchange, endpoint), options, parent);
      return new Trace({ tracer, inject, exchange, endpoint, metrics }, span, api.setSpan(parent, span));
    },
    beginOwn: (call) => beginOwn({ tracer, inject }, call),
    dropped: () => processor.dropped(),
    stop: () =>
      Promise.race([Promise.allSettled([provider.shutdown(), metrics?.stop()]).then(() => {}), pause(STOP_MS)]),
  };
}

function beginOwn({ tracer, inject }: Pick<Parts, "tracer" | "inject">, call: OwnCall): OwnSpan {
  const options = { kind: SpanKind.CLIENT, attributes: ownAttributes(call) };
  const span = tracer.startSpan(`${call.purpose} ${call.request.model}`.trim(), options, ROOT_CONTEXT);
  inject(api.setSpan(ROOT_CONTEXT, span), call.request.headers);
  return {
    end(status) {
      const { attributes, error } = endOfOwn(status);
      span.setAttributes(attributes);
      if (error) span.setStatus({ code: SpanStatusCode.ERROR, message: error });
      span.end();
    },
  };
}

function queueSize(given: string | undefined): number {
  const size = Number(given);
  return Number.isInteger(size) && size > 0 ? size : QUEUE_DEFAULT;
}

function pause(ms: number): Promise<void> {
  return new Promise((done) => setTimeout(done, ms).unref());
}

/** A request that is sent a second time has the header already. */
function setHeader(headers: string[], name: string, value: string): void {
  for (let at = 0; at < headers.length; at += 2) {
    if (headers[at] !== name) continue;
    headers[at + 1] = value;
    return;
  }
  headers.push(name, value);
}

type Parts = {
  tracer: Tracer;
  inject: (context: Context, headers: string[]) => void;
  exchange: Exchange;
  endpoint: RequestTarget;
  metrics: GenaiMetrics | null;
};

/** An attempt that delivered; its span ends with the request, because its usage is known only then. */
type Delivered = { span: Span; startMs: number; endedAt: number; measured: Measured };

class Trace implements RequestTrace {
  private readonly parts: Parts;
  private readonly span: Span;
  private readonly context: Context;
  private delivered: Delivered | null = null;

  constructor(parts: Parts, span: Span, context: Context) {
    this.parts = parts;
    this.span = span;
    this.context = context;
  }

  attempt(channel: SnapshotChannel, request: Traceable, asked: AskedFor): AttemptSpan {
    const { tracer, inject, exchange, endpoint, metrics } = this.parts;
    this.endDelivered({});
    const operation = endpoint.operation ? operationName(endpoint.operation.id) : "chat";
    const attributes = attemptAttributes(operation, channel, request, asked);
    const span = tracer.startSpan(`${operation} ${request.model}`, { kind: SpanKind.CLIENT, attributes }, this.context);
    inject(api.setSpan(this.context, span), request.headers);
    const startMs = performance.now() - exchange.startedAt;
    let isOver = false;
    const end = (note: AttemptNote): void => {
      if (isOver) return;
      isOver = true;
      span.setAttributes(endOfAttempt(note));
      const isFailure = note.cause !== undefined || note.outcome === "failed";
      if (isFailure) span.setStatus({ code: SpanStatusCode.ERROR, message: note.cause ?? note.outcome });
      const measured = measure(attributes, exchange.startedAt + startMs, note);
      if (note.outcome === "ok" || note.outcome === "cut" || note.outcome === "gone") {
        this.endDelivered({});
        this.delivered = { span, startMs, endedAt: performance.now(), measured };
      } else {
        span.end();
        metrics?.record(measured, null, null);
      }
    };
    return { end };
  }

  end(): void {
    const { exchange } = this.parts;
    this.endDelivered(usageAttributes(exchange, this.delivered?.startMs ?? 0), exchange.settled);
    const { attributes, error } = afterRequest(exchange);
    this.span.setAttributes(attributes);
    if (error) this.span.setStatus({ code: SpanStatusCode.ERROR, message: error });
    this.span.end();
  }

  private endDelivered(attributes: Attributes, settled: Settled | null = null): void {
    const { delivered } = this;
    if (!delivered) return;
    this.delivered = null;
    delivered.span.setAttributes(attributes);
    delivered.span.end(delivered.endedAt);
    const firstChunk = attributes["gen_ai.response.time_to_first_chunk"];
    this.parts.metrics?.record(delivered.measured, settled, typeof firstChunk === "number" ? firstChunk * 1_000 : null);
  }
}

function measure(attributes: Attributes, startedAt: number, note: AttemptNote): Measured {
  const errorType = endOfAttempt(note)["error.type"];
  const durationMs = Math.max(0, performance.now() - startedAt);
  return { attributes, durationMs, errorType: typeof errorType === "string" ? errorType : null };
}
