// A request goes on with other models when none of the requested one's channels answers, and costs what the answering one costs.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import {
  chunk,
  type Fault,
  type FaultUpstream,
  failing,
  GOOD_QUOTA,
  good,
  ROLE,
  STREAM_HEAD,
  silent,
  startFaultUpstream,
  words,
} from "../fault-upstream";
import { chatBody, setUpRelay, until } from "../harness";

const cut: Fault = ({ socket }) => {
  socket.write(STREAM_HEAD + chunk(ROLE + words("Half an")));
  socket.destroySoon();
};
const faults: Record<string, Fault> = {
  good,
  silent,
  cut,
  "good-two": good,
  overloaded: failing(503),
  limited: failing(429, { "retry-after": "30" }),
  "bad-request": failing(400),
  "too-long": failing(400, {}, { message: "too much", code: "context_length_exceeded" }),
  "not-allowed": failing(400, {}, { message: "that is not allowed here", code: "content_filter" }),
};

const PRICED = "down,slow,up,dear,long,policy,bad,limited,cuts,gpt-4,gpt-4-turbo,gpt-4.1,same,missing,free-of-channels";
const relay = setUpRelay({
  options: {
    ModelRatio: Object.fromEntries(PRICED.split(",").map((name) => [name, name === "dear" ? 10 : 1])),
    CompletionRatio: Object.fromEntries(PRICED.split(",").map((name) => [name, 2])),
    ModelMaxOutput: { dear: 100_000 },
    ModelFallbacks: {
      down: ["up"],
      missing: ["up"],
      long: ["down", "up"],
      "gpt-4-turbo": ["gpt-4", "gpt-4.1"],
      policy: ["up"],
      bad: ["up"],
      cuts: ["up"],
      slow: ["up"],
      same: ["long"],
    },
    UpstreamFirstByteSeconds: "0.4",
    UpstreamFirstByteWholeSeconds: "0.4",
    RetryTimes: "1",
    CircuitFailures: "1000",
  },
});
let upstream: FaultUpstream;
let user: number;
let key: string;
const channels: Record<string, number> = {};

/** Each model has one channel, whose upstream behaves as named. */
const BEHAVIOURS = {
  down: "overloaded",
  slow: "silent",
  up: "good",
  dear: "good-two",
  long: "too-long",
  policy: "not-allowed",
  bad: "bad-request",
  limited: "limited",
  cuts: "cut",
  "gpt-4-turbo": "too-long",
  "gpt-4": "good-two",
  "gpt-4.1": "good",
  same: "too-long",
  unpriced: "good-two",
};

beforeAll(async () => {
  upstream = await startFaultUpstream(faults);
  for (const [model, fault] of Object.entries(BEHAVIOURS)) {
    const modelMapping = JSON.stringify({ [model]: fault });
    channels[model] = await relay.addChannel({ models: model, baseUrl: upstream.url, modelMapping });
  }
  await relay.inForce();
});
afterAll(() => upstream.close());
beforeEach(async () => {
  upstream.forget();
  await relay.database.sql`delete from channel_circuits`;
  const caller = await relay.addCaller();
  user = caller.user;
  key = caller.token.key;
});

type Row = Awaited<ReturnType<typeof relay.logsOf>>[number] & { attempts: unknown };

async function logged(): Promise<Row> {
  await until(async () => (await relay.logsOf(user)).length > 0, 5_000);
  const rows = await relay.logsOf(user);
  expect(rows).toHaveLength(1);
  const row = rows[0] as (typeof rows)[number];
  return { ...row, attempts: (row.other.admin_info as { attempts?: unknown }).attempts };
}

describe.each([false, true])("the operator's fallback models (streamed: %s)", (stream) => {
  test("answer when every channel of the model failed; price, log and balance are theirs", async () => {
    const answer = await relay.post(key, chatBody("down", { stream }));
    expect([answer.status, answer.text.includes("All is well.")]).toEqual([200, true]);
    if (stream) expect(answer.text).toContain("data: [DONE]");
    const row = await logged();
    expect(row).toMatchObject({ type: 2, model: "up", channel: channels.up, quota: GOOD_QUOTA });
    expect(row.other.requested_model).toBe("down");
    expect(row.attempts).toMatchObject([
      { channel: channels.down, model: "down", outcome: "failed", status: 503, cause: "overload", cost: 0 },
      { channel: channels.down, model: "down", outcome: "failed", status: 503 },
      { channel: channels.up, model: "up", outcome: "ok", cost: GOOD_QUOTA },
    ]);
    expect(await relay.balanceOf(user)).toEqual({ quota: 1_000_000 - GOOD_QUOTA, used: GOOD_QUOTA });
  });

  test("answer when no channel has the model at all, as if they had been asked for", async () => {
    const answer = await relay.post(key, chatBody("missing", { stream }));
    expect(answer.status).toBe(200);
    const row = await logged();
    expect(row).toMatchObject({ type: 2, model: "up", quota: GOOD_QUOTA });
    expect(row.other.requested_model).toBe("missing");
    expect(row.attempts).toBeUndefined();
  });

  test("answer for a model that is silent: one attempt at it", async () => {
    expect((await relay.post(key, chatBody("slow", { stream }))).status).toBe(200);
    expect([upstream.posts("silent"), upstream.posts("good")]).toEqual([1, 1]);
    expect((await logged()).attempts).toMatchObject([{ cause: "timeout_first_byte" }, { outcome: "ok" }]);
  });

  test("a price of another height is charged, not that of the model that was asked for", async () => {
    expect((await relay.post(key, chatBody("limited", { stream, models: ["dear"] }))).status).toBe(200);
    expect(await logged()).toMatchObject({ model: "dear", quota: 10 * GOOD_QUOTA, channel: channels.dear });
  });

  test("are not asked when the content is not allowed or the request is bad", async () => {
    const refused = await relay.post(key, chatBody("policy", { stream }));
    expect([refused.status, refused.wire.error.message]).toEqual([
      400,
      expect.stringContaining("that is not allowed here"),
    ]);
    expect((await relay.post(key, chatBody("bad", { stream }))).status).toBe(400);
    expect(upstream.posts("good")).toBe(0);
  });
});

test("nothing is asked again once a stream has begun", async () => {
  const { status, text } = await relay.post(key, chatBody("cuts", { stream: true }));
  expect([status, text.includes("[DONE]"), upstream.posts("good")]).toEqual([200, false, 0]);
  expect(await logged()).toMatchObject({ model: "cuts", other: { outcome: "cut" } });
});

describe("the request's own list", () => {
  test("goes before the operator's, in its order, and is never sent upstream", async () => {
    const answer = await relay.post(key, chatBody("down", { models: ["limited", "dear", "up"] }));
    expect(answer.status).toBe(200);
    expect(await logged()).toMatchObject({ model: "dear", other: { requested_model: "down" } });
    expect(upstream.posts("good")).toBe(0);
    expect(upstream.bodies("good-two")).toHaveLength(1);
    expect([...upstream.bodies("overloaded"), ...upstream.bodies("good-two")].join("")).not.toContain('"models"');
  });

  test("names that nobody has, without a price or the model itself are passed over; the operator's come after", async () => {
    const models = ["nobody-has-it", "unpriced", "down", "free-of-channels"];
    expect((await relay.post(key, chatBody("down", { models }))).status).toBe(200);
    expect(await logged()).toMatchObject({ model: "up" });
    expect([upstream.posts("overloaded"), upstream.posts("good-two")]).toEqual([2, 0]);
  });

  test("an empty list and null are no list, and a model that answers needs none", async () => {
    for (const models of [[], null, ["dear"]]) {
      expect((await relay.post(key, chatBody("up", { models }))).status).toBe(200);
    }
    expect(upstream.posts("good-two")).toBe(0);
    expect(upstream.bodies("good").join("")).not.toContain('"models"');
  });

  test.each([
    ["a text", "up"],
    ["an object", { up: 1 }],
    ["a number in it", ["up", 5]],
    ["an empty name", [""]],
    ["a control character", ["u\u0000p"]],
    ["too many", ["a", "b", "c", "d", "e", "f"]],
    ["a long name", ["x".repeat(256)]],
    ["false", false],
  ])("%s is refused with 400 and nothing is asked", async (_name, models) => {
    const { status, wire } = await relay.post(key, chatBody("down", { models }));
    expect([status, wire.error.param]).toEqual([400, "models"]);
    expect(upstream.posts("overloaded")).toBe(0);
  });

  test("does not reach beyond the token's models", async () => {
    const limited = await relay.addToken(user, { modelLimitsEnabled: true, modelLimits: "down,up" });
    expect((await relay.post(limited.key, chatBody("down", { models: ["dear"] }))).status).toBe(200);
    expect(await logged()).toMatchObject({ model: "up" });
    const only = await relay.addToken(user, { modelLimitsEnabled: true, modelLimits: "down" });
    expect((await relay.post(only.key, chatBody("down", { models: ["dear"] }))).status).toBe(503);
    expect((await relay.post(only.key, chatBody("dear", { models: ["down"] }))).status).toBe(403);
    expect(upstream.posts("good-two")).toBe(0);
  });
});

describe("a request that is too long for the model", () => {
  test("goes on to a larger window, past models that are known to be no larger", async () => {
    expect((await relay.post(key, chatBody("gpt-4-turbo"))).status).toBe(200);
    expect(await logged()).toMatchObject({ model: "gpt-4.1" });
    expect([upstream.posts("too-long"), upstream.posts("good-two")]).toEqual([1, 0]);
  });

  test("goes on past a model that fails otherwise", async () => {
    expect((await relay.post(key, chatBody("long"))).status).toBe(200);
    expect(await logged()).toMatchObject({ model: "up" });
  });

  test("is not sent to the same model under another name, and the caller learns why it failed", async () => {
    const { status, wire } = await relay.post(key, chatBody("same"));
    expect([status, wire.error.code]).toEqual([400, "context_length_exceeded"]);
    expect(upstream.posts("too-long")).toBe(1);
  });
});

describe("when no model answers", () => {
  test("the caller gets the failure of the model it asked for, with all attempts in one log row", async () => {
    const answer = await relay.post(key, chatBody("limited", { models: ["down"] }));
    expect([answer.status, answer.headers.get("retry-after")]).toEqual([429, "30"]);
    const row = await logged();
    expect(row).toMatchObject({ type: 5, model: "limited", quota: 0 });
    expect(row.other.requested_model).toBeUndefined();
    expect(row.attempts).toMatchObject([{ model: "limited" }, { model: "down" }, { model: "down" }]);
    expect(await relay.balanceOf(user)).toEqual({ quota: 1_000_000, used: 0 });
  });

  test("a model that nobody has whose others cannot be asked stays unknown", async () => {
    const { status, wire } = await relay.post(key, chatBody("free-of-channels", { models: ["nobody-has-it"] }));
    expect([status, wire.error.code, wire.error.param]).toEqual([404, "model_not_found", "model"]);
    expect(wire.error.message).toContain("free-of-channels");
  });

  test("another model that does not allow the content has the last word", async () => {
    const { status, wire } = await relay.post(key, chatBody("limited", { models: ["policy", "up"] }));
    expect([status, wire.error.message]).toEqual([400, expect.stringContaining("that is not allowed here")]);
    expect(upstream.posts("good")).toBe(0);
  });
});

test("a model that the balance does not carry is passed over", async () => {
  const poor = await relay.addCaller({ balance: 100 });
  const answer = await relay.post(poor.token.key, chatBody("limited", { max_tokens: 16, models: ["dear", "up"] }));
  expect(answer.status).toBe(200);
  expect([upstream.posts("good-two"), upstream.posts("good")]).toEqual([0, 1]);
  expect(await relay.balanceOf(poor.user)).toMatchObject({ used: GOOD_QUOTA });
});

test("where the balance carries no other model, the caller gets the failure of the model it asked for, and it is in the log", async () => {
  const poor = await relay.addCaller({ balance: 100 });
  const answer = await relay.post(poor.token.key, chatBody("limited", { max_tokens: 16, models: ["dear"] }));
  expect([answer.status, answer.headers.get("retry-after")]).toEqual([429, "30"]);
  expect(upstream.posts("good-two")).toBe(0);
  await until(async () => (await relay.logsOf(poor.user)).length > 0);
  expect(await relay.logsOf(poor.user)).toMatchObject([{ type: 5, model: "limited", quota: 0 }]);
  expect(await relay.balanceOf(poor.user)).toEqual({ quota: 100, used: 0 });
});

test("what a model's price would take of a budget is given back before the next one is asked", async () => {
  const token = await relay.addToken(user, { budgetDay: 200 });
  const ask = () => relay.post(token.key, chatBody("down", { max_tokens: 16 }));
  expect((await ask()).status).toBe(200);
  expect((await ask()).status).toBe(200);
  expect(await relay.balanceOf(user)).toMatchObject({ used: 2 * GOOD_QUOTA });
});

test("Anthropic's callers have the operator's fallbacks", async () => {
  const response = await fetch(`${relay.url}/v1/messages`, {
    method: "POST",
    headers: { "content-type": "application/json", "x-api-key": key, "anthropic-version": "2023-06-01" },
    body: JSON.stringify({ model: "down", max_tokens: 64, messages: [{ role: "user", content: "Say hello" }] }),
  });
  expect(response.status).toBe(200);
  // The answer is translated, so that it names the model that gave it.
  expect(await response.json()).toMatchObject({ type: "message", model: "up" });
  expect(await logged()).toMatchObject({ model: "up", other: { requested_model: "down" } });
});

test("a channel that the caller named is not left for another model", async () => {
  await relay.database.sql`update users set role = 100 where id = ${user}`;
  const pinned = `${key}-${channels.down}`;
  await until(async () => (await relay.post(pinned, chatBody("down"))).status === 503);
  expect(upstream.posts("good")).toBe(0);
});

test("a large body for a model without channels is read for the sake of its fallbacks", async () => {
  const content = "word ".repeat(20_000);
  const messages = [{ role: "user", content }];
  expect((await relay.post(key, JSON.stringify({ model: "missing", messages }))).status).toBe(200);
  const own = JSON.stringify({ model: "free-of-channels", models: ["up"], messages });
  expect((await relay.post(key, own)).status).toBe(200);
});
