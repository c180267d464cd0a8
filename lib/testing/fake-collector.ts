import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

type Value = {
  stringValue?: string;
  intValue?: number | string;
  doubleValue?: number;
  boolValue?: boolean;
  arrayValue?: { values: Value[] };
};
type WireSpan = {
  traceId: string;
  spanId: string;
  parentSpanId?: string;
  name: string;
  kind: number;
  attributes: { key: string; value: Value }[];
  status: { code?: number };
};

export type SeenSpan = Omit<WireSpan, "attributes"> & {
  attributes: Record<string, string | number | boolean | readonly unknown[] | undefined>;
  schemaUrl: string | undefined;
};

type WirePoint = {
  attributes: WireSpan["attributes"];
  asInt?: number | string;
  asDouble?: number;
  count?: number | string;
  sum?: number;
};
type WireMetric = {
  name: string;
  unit: string;
  sum?: { dataPoints: WirePoint[] };
  histogram?: { dataPoints: (WirePoint & { explicitBounds: number[] })[] };
};

export type SeenMetric = {
  name: string;
  unit: string;
  kind: "sum" | "histogram";
  schemaUrl: string | undefined;
  attributes: SeenSpan["attributes"];
  /** The sum of what was counted, or of what was recorded. */
  value: number;
  count: number;
  bounds: readonly number[];
};

/** A collector that takes spans and metrics as OTLP over HTTP with JSON, on loopback. */
export async function startFakeCollector() {
  const spans: SeenSpan[] = [];
  const metrics: SeenMetric[] = [];
  const server = createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on("data", (part: Buffer) => parts.push(part));
    request.on("end", () => {
      const { resourceSpans = [], resourceMetrics = [] } = JSON.parse(Buffer.concat(parts).toString("utf8")) as {
        resourceMetrics?: { scopeMetrics: { metrics: WireMetric[]; schemaUrl?: string }[] }[];
        resourceSpans?: { scopeSpans: { spans: WireSpan[]; schemaUrl?: string }[] }[];
      };
      for (const { scopeSpans } of resourceSpans)
        for (const scope of scopeSpans) spans.push(...scope.spans.map((span) => readSpan(span, scope.schemaUrl)));
      for (const { scopeMetrics } of resourceMetrics)
        for (const scope of scopeMetrics)
          metrics.push(...scope.metrics.flatMap((one) => readMetric(one, scope.schemaUrl)));
      response.writeHead(200, { "content-type": "application/json" }).end("{}");
    });
  });
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", () => done()));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    spans,
    /** In the order in which they came; of a sum or a histogram the last one has all. */
    metrics,
    close: (): Promise<void> =>
      new Promise((done) => {
        server.close(() => done());
        server.closeAllConnections();
      }),
  };
}

function readSpan({ attributes, ...span }: WireSpan, schemaUrl: string | undefined): SeenSpan {
  const read = Object.fromEntries(attributes.map(({ key, value }) => [key, readValue(value)]));
  return { ...span, schemaUrl, attributes: read };
}

function readMetric({ name, unit, sum, histogram }: WireMetric, schemaUrl: string | undefined): SeenMetric[] {
  const kind = sum ? "sum" : "histogram";
  const points: (WirePoint & { explicitBounds?: number[] })[] = sum?.dataPoints ?? histogram?.dataPoints ?? [];
  return points.map((point) => ({
    name,
    unit,
    kind,
    schemaUrl,
    attributes: Object.fromEntries(point.attributes.map(({ key, value }) => [key, readValue(value)])),
    value: Number(point.asInt ?? point.asDouble ?? point.sum),
    count: Number(point.count ?? 0),
    bounds: point.explicitBounds ?? [],
  }));
}

function readValue({ stringValue, intValue, doubleValue, boolValue, arrayValue }: Value) {
  if (arrayValue) return arrayValue.values.map(({ stringValue: text }) => text);
  return stringValue ?? (intValue === undefined ? (doubleValue ?? boolValue) : Number(intValue));
}
