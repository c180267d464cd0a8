import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import {
  type Fault,
  type FaultUpstream,
  good,
  head,
  STREAM_HEAD,
  silent,
  startFaultUpstream,
  WHOLE,
} from "../fault-upstream";
import { chatBody, setUpRelay, until } from "../harness";

const later = (then: () => void): void => void setTimeout(then, 1_000).unref();
const stalled: Fault = ({ socket }) => void socket.write(STREAM_HEAD);

const faults: Record<string, Fault> = {
  good,
  silent,
  stalled,
  "late-answer": (asked) => later(() => good(asked)),
  "late-whole": ({ socket }) =>
    later(() =>
      socket.write(`${head(200, { "content-type": "application/json", "content-length": WHOLE.length })}${WHOLE}`),
    ),
};

const relay = setUpRelay({
  prices: `${Object.keys(faults).join(",")},m,only,only-whole`,
  options: {
    UpstreamFirstByteSeconds: "1.3",
    UpstreamFirstTokenSeconds: "0.4",
    UpstreamWholeSeconds: "1.5",
    StreamKeepAliveSeconds: "0.3",
  },
});
let upstream: FaultUpstream;
let user: number;
let key: string;

beforeAll(async () => {
  upstream = await startFaultUpstream(faults);
  await relay.addChannel({ models: Object.keys(faults).join(","), baseUrl: upstream.url });
  // The crowd takes its time where the machine is busy.
  const ofM = { models: "m", baseUrl: upstream.url, setting: '{"time_limits":{"whole":30,"first_byte":30}}' };
  await relay.addChannel({ ...ofM, modelMapping: '{"m":"stalled"}', priority: 10 });
  await relay.addChannel({ ...ofM, modelMapping: '{"m":"good"}' });
  const alone = { models: "only", baseUrl: upstream.url, setting: '{"time_limits":{"first_token":0.2,"alone":0.6}}' };
  await relay.addChannel({ ...alone, modelMapping: '{"only":"stalled"}' });
  const whole = { ...alone, setting: '{"time_limits":{"first_byte_whole":0.2,"alone":0.6}}' };
  await relay.addChannel({ ...whole, models: "only-whole", modelMapping: '{"only-whole":"silent"}' });
  await relay.inForce();
});
afterAll(() => upstream.close());
beforeEach(async () => {
  upstream.forget();
  const caller = await relay.addCaller({ balance: 1_000_000_000 });
  user = caller.user;
  key = caller.token.key;
});

const stream = (model: string) => relay.post(key, chatBody(model, { stream: true }));

test("the caller of a stream gets comments while the upstream works, then the answer", async () => {
  const { status, headers, text } = await stream("late-answer");
  expect([status, headers.get("content-type")]).toEqual([200, "text/event-stream"]);
  expect(text).toMatch(/^(: waiting\n\n)+data: /);
  expect(text).toContain("All is well.");
  expect(text).toMatch(/data: \[DONE\]\n\n$/);
});

test("a whole answer to a stream that has begun goes out as a stream", async () => {
  const { text } = await stream("late-whole");
  expect(text).toMatch(/^(: waiting\n\n)+data: /);
  expect(text).toContain('"content":"All is well."');
  expect(text).toMatch(/data: \[DONE\]\n\n$/);
  await until(async () => (await relay.logsOf(user)).length === 1);
  expect(await relay.logsOf(user)).toMatchObject([{ type: 2, quota: 38 }]);
});

test("an upstream that stays silent: the error comes as an event, with no clean end, and costs nothing", async () => {
  const { status, text } = await stream("silent");
  expect(status).toBe(200);
  expect(text).toMatch(/^(: waiting\n\n)+data: \{"error":/);
  expect(text).toContain("do_request_failed");
  expect(text).not.toContain("[DONE]");
  await until(async () => (await relay.logsOf(user)).length === 1);
  expect(await relay.logsOf(user)).toMatchObject([{ type: 5, quota: 0 }]);
});

test("a first token that is late is waited for where there is no other channel, until the limit of the whole answer", async () => {
  const { text } = await stream("stalled");
  expect(text).not.toContain("[DONE]");
  await until(async () => (await relay.logsOf(user)).length === 1);
  const [row] = await relay.logsOf(user);
  expect(row?.other.admin_info).toMatchObject({ attempts: [{ cause: "timeout_whole" }] });
});

test("an only channel that stays silent is waited for longer, but not until the limit of the whole answer", async () => {
  const begun = performance.now();
  const { text } = await stream("only");
  expect(text).toContain("the upstream did not answer in time");
  expect(text).not.toContain("[DONE]");
  const { status, wire } = await relay.post(key, chatBody("only-whole"));
  expect([status, wire.error.code]).toEqual([504, "do_request_failed"]);
  expect(wire.error.message).toContain("the upstream did not answer in time");
  expect(performance.now() - begun).toBeGreaterThan(1_200);
  await until(async () => (await relay.logsOf(user)).length === 2);
  const causes = (await relay.logsOf(user)).map(({ other, quota }) => [
    (other.admin_info as { attempts?: { cause: string }[] }).attempts?.map(({ cause }) => cause),
    quota,
  ]);
  expect(causes).toEqual([
    [["timeout_first_token"], 0],
    [["timeout_first_byte"], 0],
  ]);
});

test("callers of Anthropic's dialect get a ping", async () => {
  const response = await fetch(`${relay.url}/v1/messages`, {
    method: "POST",
    headers: { "content-type": "application/json", "x-api-key": key, "anthropic-version": "2023-06-01" },
    body: JSON.stringify({
      model: "late-answer",
      max_tokens: 50,
      stream: true,
      messages: [{ role: "user", content: "hi" }],
    }),
  });
  const text = await response.text();
  expect(text).toMatch(/^(event: ping\ndata: \{"type":"ping"\}\n\n)+event: message_start\n/);
  expect(text).toContain("event: message_stop");
});

test("a hundred callers of a channel that stalls get the other one's answer after its limit, later ones at once", async () => {
  async function callsTo(model: string, count: number): Promise<number> {
    const times = await Promise.all(
      Array.from({ length: count }, async () => {
        const begun = performance.now();
        expect((await stream(model)).text).toContain("All is well.");
        return performance.now() - begun;
      }),
    );
    return times.sort((x, y) => x - y)[Math.floor(count * 0.95) - 1] ?? 0;
  }
  // What the machine takes for a hundred callers when nothing is wrong.
  const usualMs = await callsTo("good", 100);
  expect(await callsTo("m", 100)).toBeLessThan(3 * usualMs + 1_000);
  expect(upstream.posts("good")).toBe(200);
  const stalledPosts = upstream.posts("stalled");
  await callsTo("m", 20);
  expect(upstream.posts("stalled")).toBe(stalledPosts);
});
