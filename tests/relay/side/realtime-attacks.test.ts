// Who: callers who talk without paying, with keys that were taken away, too fast, too slow or in nonsense; upstreams that lie
// or fall silent; an operator who restarts the gateway.
// What must hold: what was delivered is charged once, nothing else is, and nobody gets more than the balance pays for by more
// than one event.
import { eq } from "drizzle-orm";
import { describe, expect, test } from "vitest";
import { tokens, users } from "@/db/schema";
import { TOKEN_STATUS, USER_STATUS } from "@/lib/row-status";
import { TENTH } from "@/lib/testing/fake-realtime-session";
import { errorOf, openSession, setUpSessions } from "../realtime-harness";

const relay = setUpSessions([], {
  gateway: { sessionGraceMs: 300, drain: { drainMs: 1_800 } },
});
/** Two tokens of a tenth of a second, at 20 × 2. */
const DELTA = 80;

async function begin(balance = 1_000_000, ofToken = {}) {
  const { user, token } = await relay.addCaller({ balance }, ofToken);
  const session = await openSession(relay.url, token.key);
  await session.next("session.created");
  return { user, token, session };
}
const rowsOf = async (user: number, count: number) => {
  await expect.poll(async () => (await relay.logsOf(user)).length, { timeout: 5_000 }).toBe(count);
  return relay.logsOf(user);
};
const closedSoon = async (session: { closed: Promise<{ code: number }> }, ms = 1_500) => {
  const startedAt = performance.now();
  const { code } = await session.closed;
  expect(performance.now() - startedAt).toBeLessThan(ms);
  return code;
};

describe("the balance", () => {
  test("ends a response when it is used up, and falls below zero by no more than one event", async () => {
    const { user, session } = await begin(10_000);
    session.respond({ deltas: "400", pace: "0" });
    expect(errorOf(await session.next("error"))).toMatchObject({ code: "insufficient_quota" });
    expect(await session.closed).toMatchObject({ code: 1_008 });
    const rows = await rowsOf(user, 2);
    expect(rows[0]).toMatchObject({ type: 2, other: { estimated: true, ended_by_balance: true } });
    const { quota } = await relay.balanceOf(user);
    expect(quota).toBeLessThan(DELTA * 2);
    expect(quota).toBeGreaterThanOrEqual(-DELTA * 2);
  });

  test("of nothing begins no session", async () => {
    const { user, token } = await relay.addCaller({ balance: 0 });
    const session = await openSession(relay.url, token.key);
    expect(errorOf(await session.next("error"))).toMatchObject({ code: "insufficient_quota" });
    expect(await closedSoon(session)).toBe(1_008);
    expect(await relay.logsOf(user)).toEqual([]);
  });

  test("is shared by sessions side by side: all together fall below zero by one event each at most", async () => {
    const { user, token } = await relay.addCaller({ balance: 30_000 });
    const sessions = await Promise.all(Array.from({ length: 8 }, () => openSession(relay.url, token.key)));
    for (const session of sessions) session.respond({ deltas: "300", pace: "2" });
    await Promise.all(sessions.map(({ closed }) => closed));
    await expect
      .poll(async () => (await relay.logsOf(user)).filter(({ quota }) => quota === 0).length)
      .toBeGreaterThan(0);
    await expect.poll(async () => (await relay.balanceOf(user)).quota).toBeLessThan(8 * 1_500);
    expect((await relay.balanceOf(user)).quota).toBeGreaterThanOrEqual(-8 * DELTA * 2);
  });

  test("pays response after response until the next one's input is too dear", async () => {
    const { user, session } = await begin(9_000);
    for (let count = 1; count < 5; count++) {
      session.respond();
      await Promise.race([session.next("response.done", count).catch(() => {}), session.closed]);
      if (session.socket.readyState !== session.socket.OPEN) break;
    }
    expect((await session.closed).code).toBe(1_008);
    expect((await relay.balanceOf(user)).quota).toBeGreaterThanOrEqual(-2_130);
    expect((await relay.balanceOf(user)).used).toBeGreaterThanOrEqual(2 * 2_130);
  });
});

describe("a bound of the token", () => {
  test("its quota ends a session, and is used up by no more than one event beyond it", async () => {
    const { user, token, session } = await begin(1_000_000, {
      unlimitedQuota: false,
      grantedQuota: 8_000,
      remainQuota: 8_000,
    });
    session.respond({ deltas: "400", pace: "0" });
    expect(errorOf(await session.next("error"))).toMatchObject({ message: expect.stringContaining("balance") });
    expect(await session.closed).toMatchObject({ code: 1_008 });
    await rowsOf(user, 2);
    const [row] = await relay.database.sql<{ left: number }[]>`
      select remain_quota::float8 as left from tokens where id = ${token.id}`;
    expect(row?.left).toBeGreaterThanOrEqual(-DELTA * 2);
  });

  test("its budget for the day ends a session, and what it cost counts as spent", async () => {
    const { user, token, session } = await begin(1_000_000, { budgetDay: 30_000 });
    session.respond();
    await session.next("response.done");
    session.respond({ deltas: "1000", pace: "0" });
    await session.next("error");
    expect(await session.closed).toMatchObject({ code: 1_008 });
    await rowsOf(user, 3);
    const { used } = await relay.balanceOf(user);
    expect(used).toBeGreaterThan(20_000);
    expect(used).toBeLessThanOrEqual(30_000 + DELTA * 2);
    const again = await openSession(relay.url, token.key);
    expect(errorOf(await again.next("error"))).toMatchObject({ code: expect.stringMatching(/^budget_/) });
  });
});

describe("a key", () => {
  test("that is revoked, or whose owner is banned, ends its sessions within a second", async () => {
    const one = await begin();
    const other = await begin();
    await relay.database.db.update(tokens).set({ status: TOKEN_STATUS.disabled }).where(eq(tokens.id, one.token.id));
    await relay.database.db.update(users).set({ status: USER_STATUS.disabled }).where(eq(users.id, other.user));
    expect(await closedSoon(one.session)).toBe(1_008);
    expect(await closedSoon(other.session)).toBe(1_008);
    expect(errorOf(one.session.events.at(-1))).toMatchObject({ code: "invalid_api_key" });
    expect(errorOf(other.session.events.at(-1))).toMatchObject({ code: "user_banned" });
  });

  test("that is limited to other operations ends its sessions, and begins none", async () => {
    const { token, session } = await begin();
    await relay.database.db.update(tokens).set({ operationLimits: "chat" }).where(eq(tokens.id, token.id));
    expect(await closedSoon(session)).toBe(1_008);
    const again = await openSession(relay.url, token.key);
    expect(errorOf(await again.next("error"))).toMatchObject({ code: "operation_not_allowed" });
  });

  test("that is wrong, missing or not for the model gets an error event", async () => {
    const { token } = await relay.addCaller({}, { modelLimitsEnabled: true, modelLimits: "other" });
    for (const [key, code] of [
      ["sk-wrong", "invalid_api_key"],
      [null, "missing_api_key"],
      [token.key, "model_not_allowed"],
    ] as const) {
      const session = await openSession(relay.url, key);
      expect(errorOf(await session.next("error"))).toMatchObject({ code });
      await closedSoon(session);
    }
    const session = await openSession(relay.url, token.key, "intent=transcription");
    expect(errorOf(await session.next("error"))).toMatchObject({ code: "invalid_query", param: "intent" });
  });
});

describe("limits", () => {
  test("of requests at once hold as long as the session runs", async () => {
    const { token, session } = await begin(1_000_000, { concurrencyLimit: 1 });
    const second = await openSession(relay.url, token.key);
    expect(errorOf(await second.next("error"))).toMatchObject({ code: "concurrency_limit_exceeded" });
    expect(await closedSoon(second)).toBe(1_013);
    await session.close();
    await expect
      .poll(async () => {
        const third = await openSession(relay.url, token.key);
        await expect.poll(() => third.events.length).toBeGreaterThan(0);
        third.socket.close();
        return third.events[0]?.type;
      })
      .toBe("session.created");
  });

  test("of tokens in a minute end a session that goes on beyond them", async () => {
    const { session } = await begin(1_000_000, { tokensPerMinute: 1_200 });
    session.respond();
    await session.next("response.done");
    expect(errorOf(await session.next("error"))).toMatchObject({ type: "rate_limit_error" });
    expect(await closedSoon(session)).toBe(1_013);
  });
});

describe("nonsense", () => {
  test("of a caller is answered with an error event, reaches no upstream, and the session goes on", async () => {
    const { session } = await begin();
    const [fake] = relay.fake.sessions.slice(-1);
    const nonsense = [
      "",
      "no json",
      "[]",
      '{"type":5}',
      "{".repeat(500),
      '{"type":"session.update","session":{"model":"rt-dear"}}',
    ];
    for (const text of nonsense) session.socket.send(text);
    await session.next("error", nonsense.length);
    expect(errorOf(session.events.at(-1))).toMatchObject({ code: "model_not_allowed", param: "session.model" });
    expect(fake?.received).toEqual([]);
    session.respond();
    await session.next("response.done");
    session.socket.send(Buffer.alloc(10), { binary: true });
    expect(await closedSoon(session)).toBe(1_003);
  });

  test("of an upstream: usage that cannot be true is charged up to its bound and costs what was reported, root is told, the same event counts once, a missing usage is counted here", async () => {
    const root = await relay.addUser({ role: 100 });
    const { user, session } = await begin();
    session.respond({ input: "900000", output: "5000" });
    session.respond({ end: "twice" });
    session.respond({ end: "none", deltas: "3" });
    await session.next("response.done", 4);
    await session.close();
    const rows = await rowsOf(user, 4);
    const byQuota = rows.map(({ other, completion }) => [
      Boolean(other.usage_rejected),
      Boolean(other.estimated),
      completion,
    ]);
    expect(byQuota.slice(0, 3)).toContainEqual([true, true, expect.any(Number)]);
    expect(byQuota.filter(([rejected]) => rejected)).toHaveLength(1);
    expect(rows.filter(({ prompt, completion }) => prompt === 150 && completion === 40)).toHaveLength(1);
    const bounded = rows.find(({ other }) => other.usage_rejected);
    const rejected = bounded?.other.usage_rejected as Record<string, number>;
    expect(rejected).toMatchObject({ prompt_tokens: 900_000, completion_tokens: 5_000 });
    expect([bounded?.prompt, bounded?.completion]).toEqual([rejected.prompt_tokens_max, 5_000]);
    expect(bounded).toMatchObject({ other: { outcome: "usage" } });
    expect(bounded?.prompt).toBeLessThan(20_000);
    const { sql } = relay.database;
    const [booked] = await sql<{ cost: number | null; quota: number }[]>`
      select cost, quota from usage_logs where user_id = ${user} order by cost desc nulls last limit 1`;
    expect(booked?.cost).toBeGreaterThan(900_000);
    expect(booked?.quota).toBe(bounded?.quota);
    const told = () => sql`select params from notifications where user_id = ${root} and event = 'usage_bounded'`;
    await expect
      .poll(async () => (await told())[0]?.params, { timeout: 10_000 })
      .toMatchObject({ prompt: 900_000, completion: 5_000 });
  });

  test("of a model that writes events into its text moves no money", async () => {
    const { user, session } = await begin();
    session.send({
      type: "response.create",
      response: { metadata: { deltas: "1", type: "response.done", usage: '{"type":"response.done"}' } },
    } as never);
    await session.next("response.done");
    await session.close();
    expect(await rowsOf(user, 2)).toMatchObject([{ quota: 2_130 }, { quota: 0 }]);
  });
});

describe("an end", () => {
  test("by the caller in mid-answer charges what was delivered", async () => {
    const { user, session } = await begin();
    session.respond({ deltas: "1000", pace: "0" });
    await session.next("response.output_audio.delta", 20);
    session.socket.terminate();
    const [row] = await rowsOf(user, 2);
    expect(row).toMatchObject({ type: 2, other: { estimated: true, outcome: "gone" } });
    expect(row?.completion).toBeGreaterThanOrEqual(40);
    await expect.poll(() => relay.fake.sessions.at(-1)?.closedWith).not.toBeNull();
  });

  test("by the upstream in mid-answer is told with an error event, and charged as delivered", async () => {
    const { user, session } = await begin();
    session.respond({ deltas: "10", end: "cut" });
    expect(errorOf(await session.next("error"))).toMatchObject({ code: "stream_response_error" });
    expect(await closedSoon(session)).toBe(1_011);
    const rows = await rowsOf(user, 2);
    expect(rows[0]).toMatchObject({ other: { estimated: true, outcome: "cut" } });
    // A token for every 50 ms of sound.
    expect(rows[0]?.completion).toBeGreaterThanOrEqual(20);
    expect(rows[0]?.completion).toBeLessThanOrEqual(22);
  });

  test("of the gateway: sessions go on, then are closed for a restart, those in which nothing runs first, and charged", async () => {
    const beside = await relay.startBeside();
    const { user, token } = await relay.addCaller();
    const idle = await openSession(beside.url, token.key);
    const busy = await openSession(beside.url, token.key);
    const endless = await openSession(beside.url, token.key);
    for (const session of [idle, busy, endless]) await session.next("session.created");
    busy.respond({ deltas: "20", pace: "5" });
    endless.respond({ deltas: "2000", pace: "5" });
    await endless.next("response.output_audio.delta");
    await busy.next("response.output_audio.delta");
    const stopped = beside.gateway.stop();
    expect((await idle.closed).code).toBe(1_012);
    expect((await busy.closed).code).toBe(1_012);
    expect(busy.events.some(({ type }) => type === "response.done")).toBe(true);
    expect((await endless.closed).code).toBe(1_012);
    await stopped;
    const rows = await rowsOf(user, 5);
    expect(rows.filter(({ quota }) => quota > 0)).toHaveLength(2);
  });
});

describe("back pressure", () => {
  test("a caller who does not read keeps the gateway from reading on", async () => {
    const { session } = await begin(100_000_000);
    const [fake] = relay.fake.sessions.slice(-1);
    session.socket.pause();
    session.respond({ deltas: "3000", pace: "0" });
    await expect.poll(() => fake?.socket.bufferedAmount ?? 0, { timeout: 5_000 }).toBeGreaterThan(1_000_000);
    session.socket.resume();
    await session.next("response.done");
    expect(session.events.filter(({ type }) => type === "response.output_audio.delta")).toHaveLength(3_000);
    await session.close();
  });

  test("a caller who provokes errors and does not read them is disconnected", async () => {
    const { user, session } = await begin();
    session.socket.pause();
    const nonsense = JSON.stringify({
      type: "session.update",
      session: { audio: { input: { transcription: { model: "x".repeat(32_000) } } } },
    });
    // More than sockets take by themselves.
    for (let count = 0; count < 2_000; count++) session.socket.send(nonsense);
    const [row] = await rowsOf(user, 1);
    expect(row?.other).toMatchObject({ realtime: { ended: "unread" } });
    session.socket.terminate();
  });

  test("sound in one large frame passes; a frame beyond the bound closes the session", async () => {
    const { session } = await begin(100_000_000);
    session.send({ type: "input_audio_buffer.append", audio: TENTH.repeat(100) });
    const [fake] = relay.fake.sessions.slice(-1);
    await expect.poll(() => fake?.received.length).toBe(1);
    session.socket.send(`{"type":"x","a":"${"a".repeat(17 * 1_048_576)}"}`);
    expect((await session.closed).code).toBe(1_009);
  });
});
