import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { seal } from "@/lib/crypto";
import { createTestDatabase, type TestDatabase } from "@/lib/testing/database";
import { rewriteBooks } from "@/lib/testing/rewrite-books";
import { REQUESTS_MIN } from "./model-figures";
import { readModelFigures } from "./model-queries";
import { deleteOldModelHealth, rollUpModelHealth } from "./model-rollup-commands";
import { deleteOldChannelHealth } from "./rollup-commands";
import { shareReading } from "./shared-reading";

let database: TestDatabase;
const NOW = Math.floor(Date.now() / 1_000);
const HOURS_AGO = NOW - 5 * 3_600;

beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());
beforeEach(async () => {
  await rewriteBooks(database.sql, (tx) => tx`truncate usage_logs, model_hourly, job_positions, channels cascade`);
  await database.sql`insert into channels (name, models, key_cipher) values ('c', 'gpt-4o,o3', ${seal("k")})`;
});

let requests = 0;
type Fields = { count?: number; at?: number; type?: number; ms?: number; channel?: number; other?: object };

async function logs(model: string, fields: Fields = {}) {
  const { count = 1, at = NOW - 60, type = 2, ms = 900, channel = 1, other = {} } = fields;
  for (let i = 0; i < count; i++)
    await database.sql`
      insert into usage_logs (request_id, created_at, type, user_id, channel_id, model_name, use_time_ms, first_token_ms,
        other)
      values (${`m${++requests}`}, ${at}, ${type}, 1, ${channel}, ${model}, ${ms}, 250, ${JSON.stringify(other)}::text::jsonb)`;
}

const error = (status: number, channel = 1) => ({ type: 5, channel, other: { status_code: status } });

test("uptime is what clients saw: a request that another channel answered counts as answered", async () => {
  const attempts = [
    { channel: 1, start_ms: 0, ms: 40, outcome: "failed", status: 500 },
    { channel: 2, start_ms: 41, ms: 700, outcome: "ok", status: 200 },
  ];
  await logs("gpt-4o", { count: 18, other: { admin_info: { attempts } } });
  await logs("gpt-4o", { ...error(502), count: 2 });
  expect((await readModelFigures(database.sql, "gpt-4o")).day).toMatchObject({ uptime: 0.9 });
});

test("what clients did wrong, clients that left and channel tests say nothing; a key that an upstream refused does", async () => {
  await logs("gpt-4o", { count: REQUESTS_MIN });
  for (const other of [{ outcome: "gone" }, { model_test: true }]) await logs("gpt-4o", { count: 5, other });
  for (const [status, channel] of [
    [400, 1],
    [429, 0],
    [403, 0],
  ] as const)
    await logs("gpt-4o", error(status, channel));
  expect((await readModelFigures(database.sql, "gpt-4o")).day.uptime).toBe(1);
  await logs("gpt-4o", { ...error(401), count: 2 });
  await logs("gpt-4o", { ...error(503, 0), count: 2 });
  await logs("gpt-4o", { other: { outcome: "cut" } });
  expect((await readModelFigures(database.sql, "gpt-4o")).day.uptime).toBe(20 / 25);
  // A refusal beyond the rate of such rows is counted in the row before it.
  await rewriteBooks(database.sql, (tx) => tx`update usage_logs set repeats = 5 where other ->> 'status_code' = '503'`);
  expect((await readModelFigures(database.sql, "gpt-4o")).day.uptime).toBe(20 / 35);
});

test("callers cannot lower the uptime of a model that their group does not have", async () => {
  await logs("gpt-4o", { count: REQUESTS_MIN });
  await logs("gpt-4o", { type: 5, channel: 0, other: { status_code: 503, outcome: "refused", not_offered: true } });
  await rewriteBooks(database.sql, (tx) => tx`update usage_logs set repeats = 100000 where type = 5`);
  expect((await readModelFigures(database.sql, "gpt-4o")).day.uptime).toBe(1);
});

test("sums older than anything reads are deleted, a day at a time, and the others stay", async () => {
  const { sql } = database;
  const hour = NOW - (NOW % 3_600);
  const fill = (table: "channel_hourly" | "model_hourly", days: number) =>
    table === "model_hourly"
      ? sql`
          insert into model_hourly (hour, model_name, succeeded, failed, latency_buckets, first_token_buckets)
          select ${hour} - g * 3600, 'gpt-4o', 1, 0, '{}', '{}' from generate_series(0, ${days * 24}) g`
      : sql`
          insert into channel_hourly (hour, channel_id, model_name, outcome)
          select ${hour} - g * 3600, 1, 'gpt-4o', 'ok' from generate_series(0, ${days * 24}) g`;
  await fill("model_hourly", 97);
  await fill("channel_hourly", 37);
  for (const remove of [deleteOldModelHealth, deleteOldChannelHealth])
    expect([await remove(sql, NOW), await remove(sql, NOW), await remove(sql, NOW)]).toEqual([24, 24, 0]);
  const oldest = await sql`
    select (select min(hour) from model_hourly)::int as models, (select min(hour) from channel_hourly)::int as channels`;
  expect(oldest).toEqual([{ models: hour - 95 * 86_400, channels: hour - 35 * 86_400 }]);
  await sql`truncate channel_hourly`;
  expect(await deleteOldChannelHealth(sql, NOW)).toBe(0);
});

test("few requests are no figure, and other models' requests are not among them", async () => {
  await logs("gpt-4o", { count: REQUESTS_MIN - 1 });
  await logs("o3", { count: REQUESTS_MIN });
  const none = { uptime: null, p50Ms: null, p95Ms: null, firstTokenP50Ms: null, firstTokenP95Ms: null };
  expect(await readModelFigures(database.sql, "gpt-4o")).toEqual({ day: none, month: none });
});

test("hours that are summed and later ones add up; names that no channel has are not kept", async () => {
  await logs("gpt-4o", { count: 15, at: HOURS_AGO });
  await logs("gpt-4o", { ...error(500), count: 5, at: HOURS_AGO });
  await logs("gpt-4o", { ...error(500), count: 30, at: NOW - 40 * 3_600 });
  await logs("made-up", { ...error(503, 0), at: HOURS_AGO });
  expect(await rollUpModelHealth(database.sql, NOW)).toBeGreaterThan(0);
  expect(await rollUpModelHealth(database.sql, NOW)).toBe(0);
  await logs("gpt-4o", { count: 5 });
  const { day, month } = await readModelFigures(database.sql, "gpt-4o");
  expect(day).toMatchObject({ uptime: 20 / 25 });
  expect(day.p95Ms).toBeLessThanOrEqual(1_200);
  expect(month).toMatchObject({ uptime: 20 / 55 });
  const kept = await database.sql`select distinct model_name as model from model_hourly`;
  expect(kept).toEqual([{ model: "gpt-4o" }]);
});

test("a crowd shares one reading while it is fresh; a failed one is not kept", async () => {
  let now = 0;
  let reads = 0;
  const read = shareReading(
    async (key) => {
      reads += 1;
      if (key === "bad") throw new Error("away");
      return `${key} ${reads}`;
    },
    { freshMs: 1_000, max: 2, now: () => now },
  );
  expect(await Promise.all([read("a"), read("a"), read("a")])).toEqual(["a 1", "a 1", "a 1"]);
  now = 999;
  expect(await read("a")).toBe("a 1");
  now = 1_000;
  expect(await read("a")).toBe("a 2");
  await expect(read("bad")).rejects.toThrow("away");
  await expect(read("bad")).rejects.toThrow("away");
  expect(reads).toBe(4);
});
