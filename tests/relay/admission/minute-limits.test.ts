import { beforeAll, describe, expect, test } from "vitest";
import { chatBody, type Relay, setUpRelay, until } from "../harness";

const models = "fake-gpt,fake-error-400,fake-gpt:delay=300";
const relay = setUpRelay({ prices: models, channels: [{ models }] });
/** A second gateway process of the same system. */
let beside: Awaited<ReturnType<Relay["startBeside"]>>;

beforeAll(async () => {
  beside = await relay.startBeside();
});

/** Sends the bodies alternately to both processes; returns the sorted statuses. */
async function burst(keys: string[], amount: number, body = chatBody("fake-gpt")): Promise<number[]> {
  const sent = Array.from({ length: amount }, (_, i) =>
    (i % 2 === 0 ? relay : beside).post(keys[i % keys.length] ?? "", body),
  );
  return (await Promise.all(sent)).map(({ status }) => status).sort();
}

const times = (status: number, amount: number): number[] => Array.from({ length: amount }, () => status);

describe("requests in a minute", () => {
  test("a user's limit holds exactly over two processes and all of the user's keys", async () => {
    const user = await relay.addUser({ requestsPerMinute: 5 });
    const keys = [(await relay.addToken(user)).key, (await relay.addToken(user)).key];
    expect(await burst(keys, 20)).toEqual([...times(200, 5), ...times(429, 15)]);
    expect(await relay.logsOf(user)).toHaveLength(5);
  });

  test("answers and refusals say what is left, as OpenAI does", async () => {
    const user = await relay.addUser({ requestsPerMinute: 2 });
    const { key } = await relay.addToken(user);
    const first = await relay.post(key, chatBody("fake-gpt"));
    const shown = ["limit", "remaining", "reset"].map((name) => first.headers.get(`x-ratelimit-${name}-requests`));
    expect(shown).toEqual(["2", "1", expect.stringMatching(/^\d+(\.\d)?m?s$/)]);
    const streamed = await relay.post(key, chatBody("fake-gpt", { stream: true }));
    expect(streamed.headers.get("x-ratelimit-remaining-requests")).toBe("0");
    const refused = await relay.post(key, chatBody("fake-gpt"));
    expect([refused.status, refused.headers.get("x-ratelimit-remaining-requests")]).toEqual([429, "0"]);
    expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(0);
  });

  test("a caller without limits gets no such headers", async () => {
    const { token } = await relay.addCaller();
    const { headers } = await relay.post(token.key, chatBody("fake-gpt"));
    expect([...headers.keys()].filter((name) => name.startsWith("x-ratelimit"))).toEqual([]);
  });
});

describe("tokens in a minute", () => {
  const long = chatBody("fake-gpt", { max_tokens: 200 });

  test("what is admitted over two processes never exceeds a token's limit, and is not charged beyond it", async () => {
    const user = await relay.addUser();
    const { key } = await relay.addToken(user, { tokensPerMinute: 1_000 });
    const slow = chatBody("fake-gpt:delay=300", { max_tokens: 200 });
    const statuses = await burst([key], 20, slow);
    const served = statuses.filter((status) => status === 200).length;
    // Some 230 each are reserved while they run.
    expect(served).toBeGreaterThanOrEqual(3);
    expect(served).toBeLessThanOrEqual(4);
    expect(await relay.logsOf(user)).toHaveLength(served);
  });

  test("an estimate is corrected when the answer ends: few tokens make room for many requests", async () => {
    const user = await relay.addUser({ tokensPerMinute: 600 });
    const { key } = await relay.addToken(user);
    for (let i = 0; i < 8; i++) await until(async () => (await relay.post(key, long)).status === 200);
    const used = (await relay.logsOf(user)).reduce((sum, { prompt, completion }) => sum + prompt + completion, 0);
    const { headers } = await relay.post(key, long);
    expect(headers.get("x-ratelimit-limit-tokens")).toBe("600");
    expect(Number(headers.get("x-ratelimit-remaining-tokens"))).toBeLessThanOrEqual(600 - used);
  });

  test("a failed request uses none", async () => {
    const { token } = await relay.addCaller({}, { tokensPerMinute: 300 });
    for (let i = 0; i < 3; i++) {
      await until(
        async () => (await relay.post(token.key, chatBody("fake-error-400", { max_tokens: 200 }))).status === 400,
      );
    }
  });

  test("a request larger than the limit itself is refused with its reason", async () => {
    const { token } = await relay.addCaller({}, { tokensPerMinute: 100 });
    const body = JSON.stringify({ model: "fake-gpt", messages: [{ role: "user", content: "word ".repeat(200) }] });
    const { status, wire, headers } = await relay.post(token.key, body);
    expect([status, wire.error.code, wire.error.type]).toEqual([429, "request_too_large", "tokens"]);
    expect(wire.error.message).toContain("the API key allows 100 tokens in a minute");
    expect(headers.get("retry-after")).toBeNull();
  });

  test("the refusal has the shape of the caller's dialect", async () => {
    const { token } = await relay.addCaller({ requestsPerMinute: 1 });
    const send = () =>
      fetch(`${relay.url}/v1/messages`, {
        method: "POST",
        headers: { "x-api-key": token.key, "content-type": "application/json", "anthropic-version": "2023-06-01" },
        body: chatBody("fake-gpt", { max_tokens: 20 }),
      });
    expect((await send()).status).toBe(200);
    const refused = await send();
    expect(refused.status).toBe(429);
    expect(await refused.json()).toMatchObject({ type: "error", error: { type: "rate_limit_error" } });
  });

  test("another limit is in force at once", async () => {
    const user = await relay.addUser();
    const { id, key } = await relay.addToken(user, { tokensPerMinute: 70 });
    expect((await relay.post(key, long)).status).toBe(200);
    await until(async () => (await relay.post(key, long)).status === 429);
    await relay.database.sql`update tokens set tokens_per_minute = 0 where id = ${id}`;
    await until(async () => (await relay.post(key, long)).status === 200);
  });
});
