import { afterEach, beforeAll, describe, expect, test } from "vitest";
import { failing, first, startFaultUpstream } from "../fault-upstream";
import { chatBody, type Relay, setUpRelay, until } from "../harness";

/** Longer than twenty requests take to arrive. */
const lasting = "fake-gpt:delay=1500";
const slow = "fake-gpt:delay=300";
const models = `fake-gpt,${slow},${lasting},fake-gpt:delay=30,fake-error-500,fake-gpt:delay=2500`;
const relay = setUpRelay({ prices: models, options: { RetryTimes: 2 } });
/** A second gateway process of the same system. */
let beside: Awaited<ReturnType<Relay["startBeside"]>>;

beforeAll(async () => {
  await relay.addChannel({ models });
  beside = await relay.startBeside();
});
afterEach(() => queue(0));

async function queue(seconds: number, length = 100): Promise<void> {
  await relay.setOption("ConcurrencyQueueSeconds", String(seconds));
  await relay.setOption("ConcurrencyQueueLength", String(length));
  await relay.inForce();
}

/** A channel of its own for a model of this name. */
async function addChannel(name: string, upstreamModel: string, limits: object): Promise<number> {
  const modelMapping = JSON.stringify({ [name]: upstreamModel });
  const id = await relay.addChannel({ models: name, modelMapping, ...limits });
  await relay.setOption("ModelRatio", Object.fromEntries([...models.split(","), name].map((model) => [model, 1])));
  await relay.inForce();
  return id;
}

/** Sends the requests alternately to both processes; returns the sorted statuses. */
async function burst(key: string, amount: number, model: string): Promise<number[]> {
  const sent = Array.from({ length: amount }, (_, i) => (i % 2 === 0 ? relay : beside).post(key, chatBody(model)));
  return (await Promise.all(sent)).map(({ status }) => status).sort();
}

const times = (status: number, amount: number): number[] => Array.from({ length: amount }, () => status);

describe("requests in flight per token", () => {
  test("20 at once over two processes: 5 are let in, and another token of the user is not concerned", async () => {
    const user = await relay.addUser();
    const { key } = await relay.addToken(user, { concurrencyLimit: 5 });
    const other = await relay.addToken(user);
    const [statuses, free] = await Promise.all([burst(key, 20, lasting), burst(other.key, 4, slow)]);
    expect(statuses).toEqual([...times(200, 5), ...times(429, 15)]);
    expect(free).toEqual(times(200, 4));
  });
});

describe("a queue", () => {
  const held = async (user: number): Promise<number> =>
    (
      await relay.database.sql<{ count: number }[]>`
      select count from rate_counters where key = ${`concurrent:${user}`}`
    )[0]?.count ?? 0;
  const waiting = async (user: number): Promise<number> =>
    (
      await relay.database.sql<{ count: number }[]>`
      select coalesce(sum(count), 0)::int as count from rate_counters where key like ${`waiting:${user}:%`}`
    )[0]?.count ?? 0;

  test("those beyond the limit wait for their turn and are told their position", async () => {
    await queue(20);
    const { token } = await relay.addCaller({ concurrencyLimit: 1 });
    const sent = Array.from({ length: 3 }, () => relay.post(token.key, chatBody(slow)));
    const answers = await Promise.all(sent);
    expect(answers.map(({ status }) => status)).toEqual(times(200, 3));
    const positions = answers.map(({ headers }) => Number(headers.get("x-weir-queue-position"))).sort();
    // The first did not wait, whoever it was.
    expect(positions[0]).toBe(0);
    expect((positions[2] ?? 0) - (positions[1] ?? 0)).toBe(1);
  });

  test("the wait is bounded: 429 with the position and when to come back", async () => {
    await queue(1);
    const { token, user } = await relay.addCaller({ concurrencyLimit: 1 });
    const first = relay.post(token.key, chatBody("fake-gpt:delay=2500"));
    await until(async () => (await held(user)) === 1);
    const { status, headers, wire } = await relay.post(token.key, chatBody(slow));
    expect([status, wire.error.code]).toEqual([429, "concurrency_limit_exceeded"]);
    expect(headers.get("x-weir-queue-position")).toBe("1");
    expect(Number(headers.get("retry-after"))).toBeGreaterThan(0);
    await first;
  });

  test("its length is bounded, and whoever leaves it gives the place to the next", async () => {
    await queue(20, 2);
    const { token, user } = await relay.addCaller({ concurrencyLimit: 1 });
    const first = relay.post(token.key, chatBody(slow));
    await until(async () => (await waiting(user)) === 0 && (await held(user)) === 1);
    const leaving = new AbortController();
    const headers = { authorization: `Bearer ${token.key}`, "content-type": "application/json" };
    const init = { method: "POST", headers, body: chatBody(slow), signal: leaving.signal };
    const gone = fetch(`${relay.url}/v1/chat/completions`, init).catch(() => "left");
    const second = relay.post(token.key, chatBody(slow));
    await until(async () => (await relay.post(token.key, chatBody(slow))).status === 429);
    leaving.abort();
    expect(await gone).toBe("left");
    expect([(await first).status, (await second).status]).toEqual([200, 200]);
    expect(await relay.logsOf(user)).toHaveLength(2);
  });

  test.each(["the same process", "another process"])(
    "a user with 60 waiting does not starve one with a single request at %s",
    async (where) => {
      await queue(60);
      const name = `fair${where.length}`;
      await addChannel(name, "fake-gpt:delay=30", { concurrencyLimit: 2 });
      const [many, single] = [await relay.addCaller(), await relay.addCaller()];
      let done = 0;
      const crowd = Array.from({ length: 60 }, async () => {
        const { status } = await relay.post(many.token.key, chatBody(name));
        done += 1;
        return status;
      });
      await until(() => done >= 2);
      const at = where === "the same process" ? relay : beside;
      const { status } = await at.post(single.token.key, chatBody(name));
      expect(status).toBe(200);
      expect(done).toBeLessThan(50);
      expect(await Promise.all(crowd)).toEqual(times(200, 60));
    },
    20_000,
  );
});

describe("limits of a channel", () => {
  test("requests in a minute hold over two processes; beyond them every caller gets 429 and when to come back", async () => {
    const id = await addChannel("full-rpm", "fake-gpt", { requestsPerMinute: 5 });
    const { token, user } = await relay.addCaller();
    expect(await burst(token.key, 20, "full-rpm")).toEqual([...times(200, 5), ...times(429, 15)]);
    const { wire, headers } = await relay.post(token.key, chatBody("full-rpm"));
    expect(wire.error).toMatchObject({ code: "channels_at_limit", type: "rate_limit_error" });
    expect(Number(headers.get("retry-after"))).toBeGreaterThan(0);
    // A full channel is no failure.
    const logs = await relay.logsOf(user);
    expect(logs.map(({ type, channel }) => [type, channel])).toEqual(Array.from({ length: 5 }, () => [2, id]));
  });

  test("tokens in a minute are counted by what was used", async () => {
    await addChannel("full-tpm", "fake-gpt", { tokensPerMinute: 200 });
    const { token } = await relay.addCaller();
    const body = chatBody("full-tpm", { max_tokens: 20 });
    let served = 0;
    while (served < 20 && (await relay.post(token.key, body)).status === 200) served += 1;
    // The fake upstream reports 12 and 13 tokens, and some 70 are reserved while a request runs.
    expect(served).toBeGreaterThanOrEqual(4);
    expect(served).toBeLessThanOrEqual(8);
  });

  test("20 at once with 5 places, over two processes", async () => {
    await addChannel("full-places", lasting, { concurrencyLimit: 5 });
    const { token } = await relay.addCaller();
    expect(await burst(token.key, 20, "full-places")).toEqual([...times(200, 5), ...times(429, 15)]);
    await until(async () => (await relay.post(token.key, chatBody("full-places"))).status === 200);
  });

  test("a channel that failed is asked again where all others are full", async () => {
    const failsOnce = await startFaultUpstream({ "once-500": first(1, failing(500)) });
    const full = await addChannel("retried", "fake-gpt", { requestsPerMinute: 1, priority: 5 });
    const { user, token } = await relay.addCaller();
    expect((await relay.post(token.key, chatBody("retried"))).status).toBe(200);
    const retried = await addChannel("retried", "once-500", { baseUrl: failsOnce.url });
    expect((await relay.post(token.key, chatBody("retried"))).status).toBe(200);
    expect((await relay.logsOf(user)).map(({ channel }) => channel)).toEqual([full, retried]);
    expect(failsOnce.posts("once-500")).toBe(2);
    await failsOnce.close();
  });

  test("a full channel is passed over for one with room, of a lower priority too, and an attempt that fails leaves its place", async () => {
    const full = await addChannel("two", "fake-gpt", { requestsPerMinute: 1, priority: 5 });
    const other = await addChannel("two", "fake-gpt", {});
    const { token, user } = await relay.addCaller();
    for (let i = 0; i < 4; i++) expect((await relay.post(token.key, chatBody("two"))).status).toBe(200);
    expect((await relay.logsOf(user)).map(({ channel }) => channel)).toEqual([full, other, other, other]);

    await addChannel("failing", "fake-error-500", { concurrencyLimit: 1, priority: 9 });
    await addChannel("failing", "fake-gpt", {});
    for (let i = 0; i < 3; i++) expect((await relay.post(token.key, chatBody("failing"))).status).toBe(200);
  });

  test("places of a process that died are free again", async () => {
    const id = await addChannel("orphaned", "fake-gpt", { concurrencyLimit: 1 });
    const gone = "00000000-0000-4000-8000-000000000000";
    await relay.database.sql`
      insert into rate_counters (key, count, window_start)
      values (${`concurrent:c${id}`}, 1, 0), (${`concurrent:c${id}:${gone}`}, 1, 0)`;
    const { token } = await relay.addCaller();
    expect((await relay.post(token.key, chatBody("orphaned"))).status).toBe(200);
  });
});
