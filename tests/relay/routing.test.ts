import { afterAll, afterEach, beforeEach, describe, expect, test } from "vitest";
import {
  addChannel,
  addToken,
  addUser,
  balanceOf,
  chatBody,
  differences,
  logsOf,
  post,
  type Stack,
  setOption,
  setPrices,
  settleIn,
  startStack,
  until,
} from "./harness";

let stack: Stack;
let user: number;
let key: string;

beforeEach(async () => {
  await stack?.close();
  stack = await startStack();
  await setPrices(stack, "m,fake-gpt,fake-cut,fake-error-400,fake-error-504");
  await setOption(stack, "RetryTimes", "2");
  user = await addUser(stack);
  key = (await addToken(stack, user)).key;
});
afterEach(async () => expect(await differences(stack)).toEqual([]));
afterAll(() => stack.close());

const mapTo = (model: string): string => JSON.stringify({ m: model });

async function channelState(id: number): Promise<{ status: number; info: { status_reason?: string } }> {
  const rows = await stack.database.sql<{ status: number; info: { status_reason?: string } }[]>`
    select status, other_info as info from channels where id = ${id}`;
  return rows[0] ?? { status: 0, info: {} };
}

describe("retries", () => {
  test("a failing channel is followed by the next priority, charged once, the chain is logged (B314, B103)", async () => {
    const failing = await addChannel(stack, { models: "m", priority: 10, modelMapping: mapTo("fake-error-500") });
    const limited = await addChannel(stack, { models: "m", priority: 5, modelMapping: mapTo("fake-429") });
    const good = await addChannel(stack, { models: "m", priority: 1, modelMapping: mapTo("fake-gpt") });
    await settleIn();
    expect((await post(stack, key, chatBody("m"))).status).toBe(200);
    const chain = [failing, limited, good].map(String);
    expect(await logsOf(stack, user)).toMatchObject([
      { type: 2, channel: good, quota: 38, other: { admin_info: { use_channel: chain } } },
    ]);
    // Both failed ones are cooling down: the next request does not meet them again.
    expect((await post(stack, key, chatBody("m", { stream: true }))).status).toBe(200);
    expect((await logsOf(stack, user)).at(-1)).toMatchObject({
      other: { admin_info: { use_channel: [String(good)] } },
    });
    expect((await balanceOf(stack, user)).used).toBe(76);
  });

  test("an upstream that cannot be reached is passed over", async () => {
    await addChannel(stack, { models: "fake-gpt", priority: 10, baseUrl: "http://127.0.0.1:1" });
    await addChannel(stack, { models: "fake-gpt", priority: 10, baseUrl: "not a url" });
    await addChannel(stack, { models: "fake-gpt" });
    await settleIn();
    await setOption(stack, "RetryTimes", "3");
    await settleIn();
    expect((await post(stack, key, chatBody("fake-gpt"))).status).toBe(200);
  });

  test("400 and 504 are not retried and cost nothing; the upstream's error is passed on", async () => {
    await addChannel(stack, { models: "fake-error-400,fake-error-504" });
    await addChannel(stack, { models: "fake-error-400,fake-error-504" });
    await settleIn();
    for (const status of [400, 504]) {
      const before = stack.upstream.requests.length;
      const answer = await post(stack, key, chatBody(`fake-error-${status}`));
      expect(answer.status).toBe(status);
      expect(answer.wire.error.message).toContain(`fake failure ${status}`);
      expect(stack.upstream.requests.length - before).toBe(1);
    }
    await until(async () => (await logsOf(stack, user)).length === 2);
    expect(await logsOf(stack, user)).toMatchObject([
      { type: 5, quota: 0 },
      { type: 5, quota: 0 },
    ]);
    expect(await balanceOf(stack, user)).toEqual({ quota: 1_000_000, used: 0 });
  });

  test("a mapped status code decides about the retry, the caller sees the real one (B316)", async () => {
    const statusCodeMapping = '{"400":"500"}';
    await addChannel(stack, { models: "fake-error-400", statusCodeMapping });
    await addChannel(stack, { models: "fake-error-400", statusCodeMapping });
    await settleIn();
    const answer = await post(stack, key, chatBody("fake-error-400"));
    expect([answer.status, stack.upstream.requests.length]).toEqual([400, 3]);
  });

  test("nothing is retried once bytes were sent", async () => {
    await addChannel(stack, { models: "fake-cut" });
    await addChannel(stack, { models: "fake-cut" });
    await settleIn();
    const { status, text } = await post(stack, key, chatBody("fake-cut", { stream: true }));
    expect(status).toBe(200);
    expect(text).toContain("stream_response_error");
    expect(text).not.toContain("[DONE]");
    expect(stack.upstream.requests).toHaveLength(1);
  });

  test("429 by all is shown with a fixed message (B278)", async () => {
    await addChannel(stack, { models: "m", modelMapping: mapTo("fake-429") });
    await settleIn();
    const { status, wire } = await post(stack, key, chatBody("m"));
    expect([status, wire.error.message]).toEqual([429, expect.stringContaining("saturated")]);
  });

  test("a mapping that runs in a circle is an error of the channel, and another channel is asked", async () => {
    await addChannel(stack, { models: "m", priority: 1, modelMapping: '{"m":"a","a":"m"}' });
    await settleIn();
    const { status, wire } = await post(stack, key, chatBody("m"));
    expect([status, wire.error.message]).toEqual([500, expect.stringContaining("circle")]);
    await addChannel(stack, { models: "m", modelMapping: mapTo("fake-gpt") });
    await settleIn();
    expect((await post(stack, key, chatBody("m"))).status).toBe(200);
  });
});

describe("automatic switching off", () => {
  test("a channel whose key is refused is switched off with its reason and time (B156)", async () => {
    await setOption(stack, "AutomaticDisableChannelEnabled", "true");
    const bad = await addChannel(stack, { models: "fake-gpt", priority: 9, key: "bad-key" });
    const poor = await addChannel(stack, { models: "fake-gpt", priority: 8, key: "poor-key" });
    const spared = await addChannel(stack, { models: "fake-gpt", priority: 7, key: "bad-key", autoBan: 0 });
    await settleIn();
    await post(stack, key, chatBody("fake-gpt"));
    await until(async () => (await channelState(poor)).status === 3);
    expect(await channelState(bad)).toMatchObject({
      status: 3,
      info: { status_reason: expect.stringContaining("Incorrect API key"), status_time: expect.any(Number) },
    });
    expect((await channelState(spared)).status).toBe(1);
  });

  test("with the switch off nothing is switched off", async () => {
    const bad = await addChannel(stack, { models: "fake-gpt", key: "bad-key" });
    await settleIn();
    expect((await post(stack, key, chatBody("fake-gpt"))).status).toBe(401);
    await settleIn();
    expect((await channelState(bad)).status).toBe(1);
  });
});
