import { afterAll, beforeAll, expect, test } from "vitest";
import type { ServiceContext } from "@/lib/context";
import { createTestDatabase, type TestDatabase } from "@/lib/testing/database";
import { listHealth, summariseChannels } from "./queries";
import { rollUpChannelHealth } from "./rollup-commands";

let database: TestDatabase;
let ctx: ServiceContext;
const NOW = Math.floor(Date.now() / 1000);
const HOUR = NOW - (NOW % 3_600);

beforeAll(async () => {
  database = await createTestDatabase();
  const actor = { type: "user", id: 1, username: "a", role: 10, group: "default", via: "session" } as const;
  ctx = { db: database.db, sql: database.sql, actor, clientIp: "" };
});
afterAll(() => database.drop());

let requests = 0;
async function log(
  at: number,
  fields: { channel?: number; type?: number; ms?: number; first?: number; other?: object },
) {
  const { channel = 1, type = 2, ms = 900, first = null, other = {} } = fields;
  await database.sql`
    insert into usage_logs (request_id, created_at, type, user_id, channel_id, model_name, quota, use_time_ms,
      first_token_ms, other)
    values (${`r${++requests}`}, ${at}, ${type}, 1, ${channel}, 'gpt-4o', ${type === 2 ? 100 : 0}, ${ms}, ${first},
      ${JSON.stringify(other)}::text::jsonb)`;
}

test("finished hours are summed once, the running one is read live, and both add up", async () => {
  const old = HOUR - 5 * 3_600;
  for (let i = 0; i < 9; i++) await log(old + i, { ms: 900, first: 250 });
  await log(old + 20, { type: 5, ms: 50, other: { status_code: 429 } });
  await log(HOUR, { ms: 900 });
  await log(HOUR, { type: 5, other: { status_code: 502 } });
  expect(await rollUpChannelHealth(database.sql, NOW)).toBeGreaterThan(0);
  expect(await rollUpChannelHealth(database.sql, NOW)).toBe(0);
  const health = (await summariseChannels(ctx, { from: old })).get(1);
  expect(health).toMatchObject({ requests: 12, succeeded: 10, failed: 2, quota: 1_000 });
  expect(health?.causes).toEqual(
    expect.arrayContaining([
      { outcome: "limited", count: 1 },
      { outcome: "failed", count: 1 },
    ]),
  );
  // 900 ms lies between 800 and 1,200; the refusal after 50 ms is not part of the latencies.
  expect(health?.p50Ms).toBeGreaterThanOrEqual(800);
  expect(health?.firstTokenP50Ms).toBeLessThanOrEqual(300);
});

test("a request that failed over counts against the channel that failed, its charge for the one that answered", async () => {
  const attempts = [
    { channel: 21, start_ms: 0, ms: 40, outcome: "failed", status: 500 },
    { channel: 22, start_ms: 41, ms: 700, outcome: "ok", status: 200 },
  ];
  await log(HOUR, { channel: 22, other: { admin_info: { use_channel: ["21", "22"], attempts } } });
  const health = await summariseChannels(ctx, { from: HOUR });
  expect(health.get(21)).toMatchObject({ requests: 1, failed: 1, quota: 0, successRate: 0 });
  expect(health.get(22)).toMatchObject({ requests: 1, failed: 0, quota: 100, successRate: 1 });
});

test("a client that disconnected or sent an invalid request says nothing against the channel", async () => {
  await log(HOUR, { channel: 31, other: { outcome: "gone" } });
  await log(HOUR, { channel: 31, type: 5, other: { status_code: 400 } });
  expect((await summariseChannels(ctx, { from: HOUR, channelId: 31 })).get(31)).toMatchObject({
    requests: 2,
    successRate: 1,
    p50Ms: null,
  });
});

test("events that were left out of answers are counted for the channel that answered, in finished hours and in the running one", async () => {
  const old = HOUR - 2 * 3_600;
  const attempts = [
    { channel: 41, start_ms: 0, ms: 40, outcome: "failed", status: 500 },
    { channel: 42, start_ms: 41, ms: 700, outcome: "ok", status: 200 },
  ];
  await log(HOUR, { channel: 42, other: { bad_events: 3, admin_info: { use_channel: ["41", "42"], attempts } } });
  await log(HOUR, { channel: 42 });
  await log(old, { channel: 42, other: { bad_events: 2, outcome: "cut" } });
  await database.sql`update job_positions set position = ${old}`;
  await rollUpChannelHealth(database.sql, NOW);
  const health = await summariseChannels(ctx, { from: old });
  expect(health.get(42)).toMatchObject({ requests: 3, failed: 1, badEvents: 5 });
  expect(health.get(41)).toMatchObject({ requests: 1, badEvents: 0 });
  const [all] = await database.sql`select sum(bad_events)::int as "badEvents" from channel_hourly where channel_id = 0`;
  expect(all).toEqual({ badEvents: 2 });
});

test("what a stream that broke off was charged for belongs to its channel, not to the one that could not go on with it", async () => {
  const attempts = [
    { channel: 51, start_ms: 0, ms: 900, outcome: "cut", status: 200 },
    { channel: 52, start_ms: 901, ms: 40, outcome: "failed", status: 500 },
  ];
  const other = { outcome: "cut", bad_events: 1, admin_info: { use_channel: ["51", "52"], attempts } };
  await log(HOUR, { channel: 51, other });
  const health = await summariseChannels(ctx, { from: HOUR });
  expect(health.get(51)).toMatchObject({ requests: 1, quota: 100, badEvents: 1 });
  expect(health.get(52)).toMatchObject({ requests: 1, quota: 0, badEvents: 0 });
});

test("only administrators may read it, and no more than 31 days at once", async () => {
  await expect(listHealth(ctx, { from: 0 })).rejects.toMatchObject({ messageKey: "timeRangeTooLong" });
  const actor = { type: "user", id: 2, username: "u", role: 1, group: "default", via: "session" } as const;
  await expect(listHealth({ ...ctx, actor }, { from: HOUR })).rejects.toMatchObject({ code: "forbidden" });
});
