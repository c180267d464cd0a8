import { afterAll, expect, test } from "vitest";
import { env } from "@/lib/env";
import { startTracing } from "@/lib/relay/http/tracing/start";
import { startFakeCollector } from "@/lib/testing/fake-collector";
import { chatBody, setUpRelay } from "../harness";

const collector = await startFakeCollector();
process.env.OTEL_BSP_SCHEDULE_DELAY = "20";
process.env.OTEL_EXPORTER_OTLP_ENDPOINT = collector.url;
process.env.OTEL_EXPORTER_OTLP_PROTOCOL = "http/json";
const tracing = await startTracing(env());

const models = "fake-gpt,fake-error-500";
const relay = setUpRelay({ prices: `${models},shared`, channels: [{ models }], gateway: { tracing } });
afterAll(async () => {
  await tracing?.stop();
  await collector.close();
});

const TRACE = "0af7651916cd43dd8448eb211c80319c";
const PARENT = "b7ad6b7169203331";

/** The spans of one request, its own first. */
async function spansOf(requestId: string | null) {
  const find = () => collector.spans.find(({ attributes }) => attributes["weir.request.id"] === requestId);
  await expect.poll(find).toBeDefined();
  const server = find();
  const spans = collector.spans.filter(({ traceId, parentSpanId }) => {
    return traceId === server?.traceId && parentSpanId === server.spanId;
  });
  return { server, spans };
}

async function ask(model: string, headers: Record<string, string> = {}, more: Record<string, unknown> = {}) {
  const { token } = await relay.addCaller();
  const answer = await relay.post(token.key, chatBody(model, more), headers);
  return { ...answer, id: answer.headers.get("x-oneapi-request-id") };
}

test.each([true, false])(
  "the caller's trace goes on to the upstream, with usage and no prompt (stream: %s)",
  async (stream) => {
    relay.upstream.forget();
    const { status, id } = await ask("fake-gpt", { traceparent: `00-${TRACE}-${PARENT}-01` }, { stream });
    expect(status).toBe(200);
    const { server, spans } = await spansOf(id);
    expect(server).toMatchObject({ traceId: TRACE, parentSpanId: PARENT, name: "POST /v1/chat/completions", kind: 2 });
    expect(server?.attributes).toMatchObject({ "http.response.status_code": 200, "weir.attempts": 1 });
    expect(spans).toHaveLength(1);
    expect(spans[0]).toMatchObject({ name: "chat fake-gpt", kind: 3 });
    expect(spans[0]?.attributes).toMatchObject({
      "gen_ai.provider.name": "openai",
      "gen_ai.request.model": "fake-gpt",
      "gen_ai.request.stream": stream,
      "gen_ai.usage.input_tokens": 12,
      "server.address": "127.0.0.1",
    });
    if (stream) expect(spans[0]?.attributes["gen_ai.response.time_to_first_chunk"]).toBeGreaterThanOrEqual(0);
    expect(relay.upstream.requests[0]?.headers.traceparent).toBe(`00-${TRACE}-${spans[0]?.spanId}-01`);
    expect(JSON.stringify(collector.spans)).not.toContain("Say hello");
  },
);

test("a failover has a span for each attempt, and the failed one says why", async () => {
  await relay.addChannel({ models: "shared", priority: 10, modelMapping: '{"shared":"fake-error-503"}' });
  await relay.addChannel({ models: "shared", priority: 1, modelMapping: '{"shared":"fake-gpt"}' });
  await relay.inForce();
  const { status, id } = await ask("shared");
  expect(status).toBe(200);
  const { server, spans } = await spansOf(id);
  expect(server?.attributes["weir.attempts"]).toBe(2);
  const [failed, good] = [...spans].sort((a, b) => Number(b.status.code ?? 0) - Number(a.status.code ?? 0));
  expect(failed).toMatchObject({ name: "chat fake-error-503", status: { code: 2 } });
  expect(failed?.attributes).toMatchObject({ "error.type": "503", "http.response.status_code": 503 });
  expect(good?.attributes).toMatchObject({ "weir.outcome": "ok", "gen_ai.usage.input_tokens": 12 });
  expect(spans).toHaveLength(2);
});

test.each([
  ["a version that is not allowed", { traceparent: `ff-${TRACE}-${PARENT}-01` }],
  ["an id of zeros", { traceparent: `00-${"0".repeat(32)}-${PARENT}-01` }],
  ["no ids", { traceparent: "nonsense", tracestate: "=,;=\t" }],
  ["a huge state", { traceparent: "00-1", tracestate: "a=b,".repeat(2_000) }],
])("a malformed traceparent is ignored: %s", async (_case, headers) => {
  relay.upstream.forget();
  const { status, id } = await ask("fake-gpt", headers);
  expect(status).toBe(200);
  const { server } = await spansOf(id);
  expect(server?.parentSpanId ?? "").toBe("");
  expect(server?.traceId).not.toBe(TRACE);
  expect(relay.upstream.requests[0]?.headers.tracestate).toBeUndefined();
});

test("a request that is refused has a span with its status and no attempt", async () => {
  const answer = await relay.post("sk-unknown", chatBody("fake-gpt"));
  expect(answer.status).toBe(401);
  const { server, spans } = await spansOf(answer.headers.get("x-oneapi-request-id"));
  expect(server?.attributes["http.response.status_code"]).toBe(401);
  expect(spans).toEqual([]);
});
