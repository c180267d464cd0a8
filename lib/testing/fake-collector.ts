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

/** A collector that takes spans as OTLP over HTTP with JSON, on loopback. */
export async function startFakeCollector() {
  const spans: SeenSpan[] = [];
  const server = createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on("data", (part: Buffer) => parts.push(part));
    request.on("end", () => {
      const { resourceSpans } = JSON.parse(Buffer.concat(parts).toString("utf8")) as {
        resourceSpans: { scopeSpans: { spans: WireSpan[]; schemaUrl?: string }[] }[];
      };
      for (const { scopeSpans } of resourceSpans)
        for (const scope of scopeSpans) spans.push(...scope.spans.map((span) => readSpan(span, scope.schemaUrl)));
      response.writeHead(200, { "content-type": "application/json" }).end("{}");
    });
  });
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", () => done()));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    spans,
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

function readValue({ stringValue, intValue, doubleValue, boolValue, arrayValue }: Value) {
  if (arrayValue) return arrayValue.values.map(({ stringValue: text }) => text);
  return stringValue ?? (intValue === undefined ? (doubleValue ?? boolValue) : Number(intValue));
}
