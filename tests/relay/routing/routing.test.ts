import { beforeEach, describe, expect, test } from "vitest";
import { chatBody, setUpRelay, until } from "../harness";

const relay = setUpRelay({
  prices: "m,fake-gpt,fake-cut,fake-error-400,fake-error-504",
  options: { RetryTimes: "2", CircuitFailures: "1" },
});
let user: number;
let key: string;

beforeEach(async () => {
  await relay.reset();
  const caller = await relay.addCaller();
  user = caller.user;
  key = caller.token.key;
});

const mapTo = (model: string): string => JSON.stringify({ m: model });

async function channelState(id: number): Promise<{ status: number; info: { status_reason?: string } }> {
  const rows = await relay.database.sql<{ status: number; info: { status_reason?: string } }[]>`
    select status, other_info as info from channels where id = ${id}`;
  return rows[0] ?? { status: 0, info: {} };
}

describe("retries", () => {
  test("a failing channel is followed by the next priority, charged once, the chain is logged (B314, B103)", async () => {
    const failing = await relay.addChannel({ models: "m", priority: 10, modelMapping: mapTo("fake-error-500") });
    const limited = await relay.addChannel({ models: "m", priority: 5, modelMapping: mapTo("fake-429") });
    const good = await relay.addChannel({ models: "m", priority: 1, modelMapping: mapTo("fake-gpt") });
    await relay.inForce();
    expect((await relay.post(key, chatBody("m"))).status).toBe(200);
    const chain = [failing, limited, good].map(String);
    expect(await relay.logsOf(user)).toMatchObject([
      { type: 2, channel: good, quota: 38, other: { admin_info: { use_channel: chain } } },
    ]);
    // The circuits of both failed channels are open, so the next request does not use them.
    expect((await relay.post(key, chatBody("m", { stream: true }))).status).toBe(200);
    expect((await relay.logsOf(user)).at(-1)).toMatchObject({
      other: { admin_info: { use_channel: [String(good)] } },
    });
    expect((await relay.balanceOf(user)).used).toBe(76);
  });

  test("an upstream that cannot be reached is passed over", async () => {
    await relay.addChannel({ models: "fake-gpt", priority: 10, baseUrl: "http://127.0.0.1:1" });
    await relay.addChannel({ models: "fake-gpt", priority: 10, baseUrl: "not a url" });
    await relay.addChannel({ models: "fake-gpt" });
    await relay.inForce();
    await relay.setOption("RetryTimes", "3");
    await relay.inForce();
    expect((await relay.post(key, chatBody("fake-gpt"))).status).toBe(200);
  });

  test("400 is not retried, 504 goes to the next channel; both cost nothing and are passed on", async () => {
    await relay.addChannel({ models: "fake-error-400,fake-error-504" });
    await relay.addChannel({ models: "fake-error-400,fake-error-504" });
    await relay.inForce();
    for (const [status, attempts] of [
      [400, 1],
      [504, 2],
    ]) {
      const before = relay.upstream.requests.length;
      const answer = await relay.post(key, chatBody(`fake-error-${status}`));
      expect(answer.status).toBe(status);
      expect(answer.wire.error.message).toContain(`fake failure ${status}`);
      expect(relay.upstream.requests.length - before).toBe(attempts);
    }
    await until(async () => (await relay.logsOf(user)).length === 2);
    expect(await relay.logsOf(user)).toMatchObject([
      { type: 5, quota: 0 },
      { type: 5, quota: 0 },
    ]);
    expect(await relay.balanceOf(user)).toEqual({ quota: 1_000_000, used: 0 });
  });

  test("a mapped status code decides about the retry, the caller sees the real one (B316)", async () => {
    const statusCodeMapping = '{"400":"500"}';
    await relay.addChannel({ models: "fake-error-400", statusCodeMapping });
    await relay.addChannel({ models: "fake-error-400", statusCodeMapping });
    await relay.inForce();
    const answer = await relay.post(key, chatBody("fake-error-400"));
    expect([answer.status, relay.upstream.requests.length]).toEqual([400, 3]);
  });

  test("where streams are not continued, nothing is retried once bytes were sent", async () => {
    await relay.setOption("StreamContinuation", "false");
    await relay.addChannel({ models: "fake-cut" });
    await relay.addChannel({ models: "fake-cut" });
    await relay.inForce();
    const { status, text } = await relay.post(key, chatBody("fake-cut", { stream: true }));
    expect(status).toBe(200);
    expect(text).toContain("stream_response_error");
    expect(text).not.toContain("[DONE]");
    expect(relay.upstream.requests).toHaveLength(1);
  });

  test("429 by all is shown with a fixed message (B278)", async () => {
    await relay.addChannel({ models: "m", modelMapping: mapTo("fake-429") });
    await relay.inForce();
    const { status, wire } = await relay.post(key, chatBody("m"));
    expect([status, wire.error.message]).toEqual([429, expect.stringContaining("saturated")]);
  });

  test("a mapping that runs in a circle is an error of the channel, and another channel is asked", async () => {
    await relay.addChannel({ models: "m", priority: 1, modelMapping: '{"m":"a","a":"m"}' });
    await relay.inForce();
    const { status, wire } = await relay.post(key, chatBody("m"));
    expect([status, wire.error.message]).toEqual([500, expect.stringContaining("circle")]);
    await relay.addChannel({ models: "m", modelMapping: mapTo("fake-gpt") });
    await relay.inForce();
    expect((await relay.post(key, chatBody("m"))).status).toBe(200);
  });
});

describe("automatic switching off", () => {
  test("a channel whose key is refused is switched off with its reason and time (B156)", async () => {
    await relay.setOption("AutomaticDisableChannelEnabled", "true");
    const bad = await relay.addChannel({ models: "fake-gpt", priority: 9, key: "bad-key" });
    const poor = await relay.addChannel({ models: "fake-gpt", priority: 8, key: "poor-key" });
    const spared = await relay.addChannel({ models: "fake-gpt", priority: 7, key: "bad-key", autoBan: 0 });
    await relay.inForce();
    // One request speaks against one account at most.
    await relay.post(key, chatBody("fake-gpt"));
    await until(async () => (await channelState(bad)).status === 3);
    expect((await channelState(poor)).status).toBe(1);
    await relay.inForce();
    await relay.post(key, chatBody("fake-gpt"));
    await until(async () => (await channelState(poor)).status === 3);
    expect(await channelState(bad)).toMatchObject({
      status: 3,
      info: { status_reason: expect.stringContaining("Incorrect API key"), status_time: expect.any(Number) },
    });
    expect((await channelState(spared)).status).toBe(1);
  });

  test("with the switch off nothing is switched off", async () => {
    const bad = await relay.addChannel({ models: "fake-gpt", key: "bad-key" });
    await relay.inForce();
    const beside = await relay.startBeside();
    expect((await beside.post(key, chatBody("fake-gpt"))).status).toBe(502);
    // A stopped gateway has finished all its background work.
    await beside.gateway.stop();
    expect((await channelState(bad)).status).toBe(1);
  });
});
