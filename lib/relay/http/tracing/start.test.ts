import { execFileSync } from "node:child_process";
import { createServer, IncomingMessage } from "node:http";
import { type AddressInfo, Socket } from "node:net";
import { expect, test } from "vitest";
import { type Env, env } from "@/lib/env";
import { findEndpoint } from "../../side/endpoints";
import type { Exchange } from "../exchange";
import { startTracing } from "./start";

const off: Env = { ...env(), OTEL_TRACES_EXPORTER: undefined, OTEL_EXPORTER_OTLP_ENDPOINT: undefined };
const ADDRESS = "http://127.0.0.1:9";

test.each<[string, Partial<Env>]>([
  ["no variable is set", {}],
  ["the SDK is switched off", { OTEL_EXPORTER_OTLP_ENDPOINT: ADDRESS, OTEL_SDK_DISABLED: "true" }],
  ["the exporter is none", { OTEL_EXPORTER_OTLP_ENDPOINT: ADDRESS, OTEL_TRACES_EXPORTER: "none" }],
])("tracing is off when %s", async (_case, values) => {
  expect(await startTracing({ ...off, ...values })).toBeNull();
});

test.each<[string, Partial<Env>]>([
  ["OTEL_TRACES_EXPORTER", { OTEL_TRACES_EXPORTER: "zipkin" }],
  ["OTEL_EXPORTER_OTLP_PROTOCOL", { OTEL_TRACES_EXPORTER: "otlp", OTEL_EXPORTER_OTLP_PROTOCOL: "grpc" }],
  ["OTEL_METRICS_EXPORTER", { OTEL_TRACES_EXPORTER: "otlp", OTEL_METRICS_EXPORTER: "prometheus" }],
])("an exporter or a protocol that is not there is an error with the variable's name: %s", async (name, values) => {
  await expect(startTracing({ ...off, ...values })).rejects.toThrow(name);
});

test("nothing of OpenTelemetry is loaded while tracing is off", () => {
  const script = `
    const { createRequire } = await import("node:module");
    const { startTracing } = await import("./lib/relay/http/tracing/start.ts");
    const { cache } = createRequire(import.meta.url);
    const isLoaded = () => Object.keys(cache).some((path) => path.includes("@opentelemetry"));
    await startTracing({});
    const whileOff = isLoaded();
    await startTracing({ OTEL_TRACES_EXPORTER: "otlp" });
    process.stdout.write(JSON.stringify({ whileOff, whileOn: isLoaded() }));`;
  const found = execFileSync(process.execPath, ["--import", "tsx", "--input-type=module", "-e", script]);
  expect(JSON.parse(found.toString("utf8"))).toEqual({ whileOff: false, whileOn: true });
});

test("a collector that does not answer costs spans, which are counted, and memory is bounded", async () => {
  const silent = createServer(() => {});
  await new Promise<void>((done) => silent.listen(0, "127.0.0.1", () => done()));
  process.env.OTEL_EXPORTER_OTLP_ENDPOINT = `http://127.0.0.1:${(silent.address() as AddressInfo).port}`;
  process.env.OTEL_BSP_MAX_QUEUE_SIZE = "20";
  process.env.OTEL_BSP_MAX_EXPORT_BATCH_SIZE = "10";
  const tracing = await startTracing({ ...off, OTEL_TRACES_EXPORTER: "otlp" });
  const request = new IncomingMessage(new Socket());
  Object.assign(request, { method: "POST", url: "/v1/chat/completions" });
  const endpoint = findEndpoint(request);
  const response = { headersSent: true, statusCode: 200 };
  const exchange = { id: "1", request, response, tried: [], model: "", owner: null, settled: null, failure: null };
  for (let count = 0; count < 100; count++) {
    const ended = { ...exchange, overheadMs: null, hasBroken: false } as unknown as Exchange;
    tracing?.begin(ended, endpoint).end();
  }
  // Ten are on their way, and twenty wait.
  expect(tracing?.dropped()).toBe(70);
  silent.closeAllConnections();
  silent.close();
  await tracing?.stop();
});
