import { afterAll, expect, test } from "vitest";
import { env } from "@/lib/env";
import { SCHEMA_URL } from "@/lib/relay/http/tracing/sdk";
import { startTracing } from "@/lib/relay/http/tracing/start";
import { startFakeCollector } from "@/lib/testing/fake-collector";
import { chatBody, setUpRelay } from "../harness";
import { INFERENCE_METRICS } from "./genai-conventions";

const collector = await startFakeCollector();
process.env.OTEL_METRIC_EXPORT_INTERVAL = "50";
process.env.OTEL_METRICS_EXPORTER = "otlp";
process.env.OTEL_EXPORTER_OTLP_ENDPOINT = collector.url;
process.env.OTEL_EXPORTER_OTLP_PROTOCOL = "http/json";
const tracing = await startTracing(env());

const models = "fake-gpt,fake-error-500";
const relay = setUpRelay({ prices: models, channels: [{ models }], gateway: { tracing } });
afterAll(async () => {
  await tracing?.stop();
  await collector.close();
});

const latest = (name: string, model: string) =>
  collector.metrics.findLast(
    ({ attributes, ...metric }) => metric.name === name && attributes["gen_ai.request.model"] === model,
  );

test("each inference is in the metrics of OpenTelemetry's conventions, with the tokens of the books and a failure's reason", async () => {
  const { user, token } = await relay.addCaller();
  for (const stream of [true, false]) await relay.post(token.key, chatBody("fake-gpt", { stream }));
  await relay.post(token.key, chatBody("fake-error-500"));
  await expect.poll(() => latest("gen_ai.client.inference.duration", "fake-gpt")?.count, { timeout: 10_000 }).toBe(2);
  await expect.poll(() => latest("gen_ai.client.inference.duration", "fake-error-500")).toBeDefined();
  const rows = (await relay.logsOf(user)).filter(({ type }) => type === 2);
  const books = {
    input_tokens: rows.reduce((sum, { prompt }) => sum + prompt, 0),
    output_tokens: rows.reduce((sum, { completion }) => sum + completion, 0),
  };
  for (const [name, tokens] of Object.entries(books)) {
    expect(latest(`gen_ai.client.inference.usage.${name}`, "fake-gpt")).toMatchObject({ value: tokens });
    expect(latest(`gen_ai.client.inference.operation.${name}`, "fake-gpt")).toMatchObject({ value: tokens, count: 2 });
  }
  expect(latest("gen_ai.client.inference.time_to_first_chunk", "fake-gpt")).toMatchObject({ count: 1 });
  expect(latest("gen_ai.client.inference.duration", "fake-error-500")?.attributes).toMatchObject({
    "error.type": "500",
  });
  for (const [name, kind, unit, bounds] of INFERENCE_METRICS) {
    const metric = latest(name, "fake-gpt");
    expect(metric).toMatchObject({ kind, unit, schemaUrl: SCHEMA_URL });
    expect(metric?.attributes).toMatchObject({
      "gen_ai.operation.name": "chat",
      "gen_ai.provider.name": "openai",
      "server.address": "127.0.0.1",
      "server.port": expect.any(Number),
    });
    if (bounds) expect(metric?.bounds).toEqual(bounds.map((bound) => expect.closeTo(bound, 9)));
  }
});
