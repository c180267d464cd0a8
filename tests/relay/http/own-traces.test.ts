// Traces of what is no plain request: sessions over WebSockets, tests of channels, questions about tasks.
import { afterAll, expect, test } from "vitest";
import { env } from "@/lib/env";
import { loadOptions } from "@/lib/option/queries";
import { CHANNEL_TYPE } from "@/lib/provider-catalogue/channel-type-ids";
import { startTracing } from "@/lib/relay/http/tracing/start";
import { testChannel } from "@/lib/relay/side/channel-tests/test-channel";
import { pollTasks } from "@/lib/relay/side/tasks/poll-tasks";
import { readChannel } from "@/lib/snapshot/build";
import { listChannelRows } from "@/lib/snapshot/queries";
import { startFakeCollector } from "@/lib/testing/fake-collector";
import { startTaskProxies } from "@/lib/testing/fake-task-proxies";
import { MODEL, openSession, setUpSessions } from "../realtime-harness";

const collector = await startFakeCollector();
process.env.OTEL_BSP_SCHEDULE_DELAY = "20";
process.env.OTEL_EXPORTER_OTLP_ENDPOINT = collector.url;
process.env.OTEL_EXPORTER_OTLP_PROTOCOL = "http/json";
const tracing = await startTracing(env());
const relay = setUpSessions([], { gateway: { tracing } });
afterAll(async () => {
  await tracing?.stop();
  await collector.close();
});

const find = (attributes: Record<string, unknown>) =>
  collector.spans.find((span) => Object.entries(attributes).every(([name, value]) => span.attributes[name] === value));

test("a session has a span with what it cost, and one for the upstream that served it", async () => {
  const { user, token } = await relay.addCaller();
  const session = await openSession(relay.url, token.key);
  session.respond();
  await session.next("response.done");
  await session.close();
  await expect.poll(() => find({ "weir.user.id": user })).toBeDefined();
  const server = find({ "weir.user.id": user });
  const charged = (await relay.logsOf(user)).reduce((sum, { quota }) => sum + quota, 0);
  expect(charged).toBeGreaterThan(0);
  expect(server).toMatchObject({ kind: 2, name: "GET /v1/realtime" });
  expect(server?.attributes).toMatchObject({ "weir.quota": charged, "gen_ai.request.model": MODEL });
  const [attempt] = collector.spans.filter(({ parentSpanId }) => parentSpanId === server?.spanId);
  expect(attempt).toMatchObject({ kind: 3, name: `realtime ${MODEL}` });
});

test("a session that is refused has a span with the error", async () => {
  const session = await openSession(relay.url, "sk-unknown");
  await session.closed;
  await expect.poll(() => find({ "http.response.status_code": 401 })).toMatchObject({ kind: 2 });
});

test("the test of a channel is a trace of its own, which its upstream can continue", async () => {
  const id = await relay.addChannel({ models: "fake-gpt" });
  const row = (await listChannelRows(relay.database.sql)).find((one) => one.id === id);
  if (!row) throw new Error("no channel");
  relay.upstream.forget();
  const result = await testChannel(readChannel(row), "fake-gpt", await loadOptions(relay.database.db));
  expect(result.success).toBe(true);
  await expect.poll(() => find({ "weir.purpose": "test" })).toBeDefined();
  const span = find({ "weir.purpose": "test" });
  expect(span).toMatchObject({ kind: 3, name: "test fake-gpt" });
  expect(span?.attributes).toMatchObject({ "weir.channel.id": id, "http.response.status_code": 200 });
  expect(relay.upstream.requests[0]?.headers.traceparent).toBe(`00-${span?.traceId}-${span?.spanId}-01`);
});

test("a question about tasks is a trace of its own, also when nobody answers", async () => {
  const proxies = await startTaskProxies();
  const channel = await relay.addChannel({ type: CHANNEL_TYPE.suno, baseUrl: proxies.url, models: "suno_music" });
  await relay.inForce();
  const { token } = await relay.addCaller();
  const submitted = await fetch(`${relay.url}/suno/submit/music`, {
    method: "POST",
    headers: { "content-type": "application/json", authorization: `Bearer ${token.key}` },
    body: JSON.stringify({ prompt: "a weir" }),
  });
  expect(submitted.status).toBe(200);
  await pollTasks(relay.database.sql);
  await expect.poll(() => find({ "weir.purpose": "poll", "http.response.status_code": 200 })).toBeDefined();
  await proxies.close();
  await pollTasks(relay.database.sql);
  await expect
    .poll(() => find({ "weir.purpose": "poll", "error.type": "unreachable" }))
    .toMatchObject({ kind: 3, status: { code: 2 }, attributes: { "weir.channel.id": channel } });
});
