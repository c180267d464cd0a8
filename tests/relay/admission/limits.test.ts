import { afterEach, beforeAll, describe, expect, test } from "vitest";
import { chatBody, type Relay, setUpRelay, until } from "../harness";

const models = "fake-gpt,fake-error-400,fake-gpt:delay=300,fake-gpt:delay=900";
const relay = setUpRelay({ prices: models, channels: [{ models }] });
/** A second gateway process of the same system. */
let beside: Awaited<ReturnType<Relay["startBeside"]>>;

beforeAll(async () => {
  beside = await relay.startBeside();
});
afterEach(async () => {
  await relay.setOption("ModelRequestRateLimitEnabled", "false");
  await relay.setOption("ModelRequestRateLimitCount", "0");
  await relay.setOption("ModelRequestRateLimitSuccessCount", "1000");
  await relay.inForce();
});

async function limitModels(count: number, successful: number): Promise<void> {
  await relay.setOption("ModelRequestRateLimitCount", String(count));
  await relay.setOption("ModelRequestRateLimitSuccessCount", String(successful));
  await relay.setOption("ModelRequestRateLimitDurationMinutes", "5");
  await relay.setOption("ModelRequestRateLimitEnabled", "true");
  await relay.inForce();
}

/** Sends the requests alternately to both processes; returns the sorted statuses. */
async function burst(key: string, amount: number, model = "fake-gpt"): Promise<number[]> {
  const sent = Array.from({ length: amount }, (_, i) => (i % 2 === 0 ? relay : beside).post(key, chatBody(model)));
  return (await Promise.all(sent)).map(({ status }) => status).sort();
}

const times = (status: number, amount: number): number[] => Array.from({ length: amount }, () => status);

describe("requests per user", () => {
  test("the limit holds exactly over two gateway processes, whatever key is used; what is refused is not charged", async () => {
    await limitModels(7, 1000);
    const user = await relay.addUser();
    const keys = [await relay.addToken(user), await relay.addToken(user)];
    const answers = await Promise.all(keys.map(({ key }) => burst(key, 20)));
    expect(answers.flat().sort()).toEqual([...times(200, 7), ...times(429, 33)]);
    expect(await relay.logsOf(user)).toHaveLength(7);
    expect(await relay.balanceOf(user)).toEqual({ quota: 1_000_000 - 7 * 38, used: 7 * 38 });
    const stranger = await relay.addToken(await relay.addUser());
    expect((await relay.post(stranger.key, chatBody("fake-gpt"))).status).toBe(200);
  });

  test("a refusal has OpenAI's shape and says when the next is admitted", async () => {
    await limitModels(1, 1000);
    const { key } = await relay.addToken(await relay.addUser());
    await relay.post(key, chatBody("fake-gpt"));
    const { status, headers, wire } = await beside.post(key, chatBody("fake-gpt"));
    expect([status, wire.error.code]).toEqual([429, "rate_limit_exceeded"]);
    expect(wire.error.message).toContain("1 requests in 5 min");
    // The next is admitted in five minutes, and nobody is to wait for so long.
    expect([headers.get("retry-after"), headers.get("x-should-retry")]).toEqual([null, "false"]);
    const resetsIn = Date.parse(headers.get("x-weir-resets-at") ?? "") / 1_000 - Date.now() / 1_000;
    expect(resetsIn).toBeGreaterThan(200);
    expect(resetsIn).toBeLessThanOrEqual(301);
  });

  test("failures count against the total, not against the successful ones", async () => {
    await limitModels(0, 2);
    const { key } = await relay.addToken(await relay.addUser());
    expect(await burst(key, 2, "fake-error-400")).toEqual([400, 400]);
    // A failed request releases its place a moment after its response.
    await until(async () => (await beside.post(key, chatBody("fake-gpt"))).status === 200);
    await until(async () => (await relay.post(key, chatBody("fake-gpt"))).status === 200);
    expect(await burst(key, 4)).toEqual(times(429, 4));

    await limitModels(2, 1000);
    const second = await relay.addToken(await relay.addUser());
    expect(await burst(second.key, 2, "fake-error-400")).toEqual([400, 400]);
    expect(await burst(second.key, 2)).toEqual([429, 429]);
  });

  test("the list of models is not limited", async () => {
    await limitModels(1, 1);
    const { key } = await relay.addToken(await relay.addUser());
    for (let i = 0; i < 3; i++) {
      const answer = await fetch(`${relay.url}/v1/models`, { headers: { authorization: `Bearer ${key}` } });
      expect(answer.status).toBe(200);
    }
  });
});

describe("requests per token", () => {
  test("a token's own limit holds over two processes and answers with its own text", async () => {
    const user = await relay.addUser();
    const limited = { rateLimitCount: 3, rateLimitSeconds: 3_600, rateLimitMessage: "Slow down, please" };
    const { key } = await relay.addToken(user, limited);
    expect(await burst(key, 10)).toEqual([...times(200, 3), ...times(429, 7)]);
    const { wire } = await relay.post(key, chatBody("fake-gpt"));
    expect(wire.error).toMatchObject({ code: "token_rate_limit_exceeded" });
    expect(wire.error.message).toMatch(/^Slow down, please \(request id/);
    const free = await relay.addToken(user);
    expect(await burst(free.key, 4)).toEqual(times(200, 4));
  });
});

describe("requests in flight per user", () => {
  test("no more than the limit are in flight over two processes, and each that ends makes room", async () => {
    const user = await relay.addUser({ concurrencyLimit: 3 });
    const { key } = await relay.addToken(user);
    const before = relay.upstream.requests.length;
    const statuses = await burst(key, 12, "fake-gpt:delay=900");
    expect(statuses).toEqual([...times(200, 3), ...times(429, 9)]);
    expect(relay.upstream.requests.length - before).toBe(3);
    for (const [at, via] of [relay, beside, relay, beside].entries())
      expect((await via.post(key, chatBody("fake-gpt"))).status, String(at)).toBe(200);
    expect(await burst(key, 3)).toEqual(times(200, 3));
  });

  test("a refusal says why", async () => {
    const { key } = await relay.addToken(await relay.addUser({ concurrencyLimit: 1 }));
    const [first, second] = await Promise.all([
      relay.post(key, chatBody("fake-gpt:delay=300")),
      beside.post(key, chatBody("fake-gpt:delay=300")),
    ]);
    const refused = [first, second].find(({ status }) => status === 429);
    expect(refused?.wire.error).toMatchObject({ code: "concurrency_limit_exceeded" });
    expect(refused?.headers.get("retry-after")).toBe("1");
  });

  test("what a process that died had taken is free again", async () => {
    const user = await relay.addUser({ concurrencyLimit: 1 });
    const { key } = await relay.addToken(user);
    const gone = "00000000-0000-4000-8000-000000000000";
    await relay.database.sql`
      insert into rate_counters (key, count, window_start)
      values (${`concurrent:${user}`}, 1, 0), (${`concurrent:${user}:${gone}`}, 1, 0)`;
    expect((await relay.post(key, chatBody("fake-gpt"))).status).toBe(200);
    expect((await beside.post(key, chatBody("fake-gpt"))).status).toBe(200);
  });
});
