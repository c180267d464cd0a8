import { afterAll, beforeAll, beforeEach, expect, test, vi } from "vitest";
import { createDatabase } from "@/db/client";
import { listChannels } from "@/lib/channel/queries";
import type { TRAFFIC_SORTS } from "@/lib/channel/schemas";
import { ROLE, type ServiceContext } from "@/lib/context";
import { seal } from "@/lib/crypto";
import { createTestDatabase, type TestDatabase } from "@/lib/testing/database";
import { rewriteBooks } from "@/lib/testing/rewrite-books";
import { writeTestLog } from "@/lib/usage-log/test-log-commands";
import { listHealth } from "./queries";
import { rollUpChannelHealth } from "./rollup-commands";
import { TRAFFIC_MIN } from "./traffic";
import { readRecentTraffic } from "./traffic-queries";

let database: TestDatabase;
let ctx: ServiceContext;
const NOW = Math.floor(Date.now() / 1_000);
const HOURS_AGO = NOW - 5 * 3_600;

beforeAll(async () => {
  database = await createTestDatabase();
  const actor = { type: "user", id: 1, username: "a", role: ROLE.admin, group: "default", via: "session" } as const;
  ctx = { db: database.db, sql: database.sql, actor, clientIp: "" };
  await database.sql`insert into users (username, password_hash, role) values ('root', '', 100)`;
});
afterAll(() => database.drop());
beforeEach(() =>
  rewriteBooks(database.sql, (tx) => tx`truncate usage_logs, channel_hourly, job_positions, channels cascade`),
);

let requests = 0;
type Fields = { count?: number; at?: number; type?: number; ms?: number; first?: number; other?: object };

async function logs(
  channel: number,
  { count = 1, at = NOW - 60, type = 2, ms = 900, first = 250, other = {} }: Fields,
) {
  for (let i = 0; i < count; i++)
    await database.sql`
      insert into usage_logs (request_id, created_at, type, user_id, channel_id, model_name, use_time_ms, first_token_ms,
        other)
      values (${`t${++requests}`}, ${at}, ${type}, 1, ${channel}, 'gpt-4o', ${ms}, ${first},
        ${JSON.stringify(other)}::text::jsonb)`;
}

async function addChannels(names: string[]): Promise<number[]> {
  const rows = await database.sql<{ id: number }[]>`
    insert into channels (name, key_cipher) select name, ${seal("k")} from unnest(${names}::text[]) name returning id`;
  return rows.map(({ id }) => id);
}

const failure = { type: 5, other: { status_code: 500 } };

test("a channel test is no traffic: not live, not in the hourly sums, not in the figures of a channel", async () => {
  const usage = { channelId: 7, model: "gpt-4o", usage: null, timeMs: 40, firstTokenMs: 20, clientIp: "" };
  for (let i = 0; i < TRAFFIC_MIN; i++) await writeTestLog(database.db, usage);
  expect(await readRecentTraffic(ctx, null)).toEqual(new Map());
  expect(await listHealth(ctx, { from: NOW - 3_600 })).toEqual([]);
  await rewriteBooks(database.sql, (tx) => tx`update usage_logs set created_at = ${HOURS_AGO}`);
  await rollUpChannelHealth(database.sql, NOW);
  const [sums] = await database.sql`select count(*)::int as rows from channel_hourly`;
  expect(sums).toEqual({ rows: 0 });
});

test("the last hour and the last day are told apart, whether summed already or not", async () => {
  await logs(7, { count: TRAFFIC_MIN, at: HOURS_AGO, ms: 9_000 });
  await rollUpChannelHealth(database.sql, NOW);
  await logs(7, { count: 18 });
  await logs(7, { count: 2, ...failure });
  // Longer ago than a day.
  await logs(7, { count: 5, at: NOW - 30 * 3_600, ...failure });
  const traffic = (await readRecentTraffic(ctx, [7])).get(7);
  expect(traffic?.hour).toMatchObject({ requests: 20, failed: 2, successRate: 0.9, p95Ms: null });
  expect(traffic?.day).toMatchObject({ requests: 40, failed: 2, successRate: 0.95 });
  expect(traffic?.day.p95Ms).toBeGreaterThanOrEqual(8_000);
  expect(traffic?.day.firstTokenP95Ms).toBeLessThanOrEqual(300);
});

test("too few requests are not enough traffic, never 100 %, and clients' own mistakes are no successes", async () => {
  await logs(7, { count: TRAFFIC_MIN - 1 });
  await logs(8, { count: TRAFFIC_MIN, type: 5, other: { status_code: 400 } });
  const traffic = await readRecentTraffic(ctx, null);
  expect(traffic.get(7)?.day).toMatchObject({ requests: TRAFFIC_MIN - 1, successRate: null, p95Ms: null });
  expect(traffic.get(8)?.day).toMatchObject({ requests: TRAFFIC_MIN, failed: 0, successRate: null });
});

test("the list is sorted by figures of traffic over all pages; channels without enough traffic come last either way", async () => {
  const [good = 0, bad = 0, few = 0, middling = 0] = await addChannels(["good", "bad", "few", "middling"]);
  await logs(good, { count: 40, ms: 500, first: 90 });
  await logs(bad, { count: 20, ms: 50_000, first: 40_000 });
  await logs(bad, { count: 20, ...failure });
  await logs(few, { count: 2 });
  await logs(middling, { count: 38, ms: 5_500, first: 2_500 });
  await logs(middling, { count: 2, ...failure });
  const sorted = async (sort: (typeof TRAFFIC_SORTS)[number], descending: boolean) => {
    const pages = [1, 2].map((page) => listChannels(ctx, { sort, descending, page, pageSize: 2 }));
    return (await Promise.all(pages)).flatMap(({ items }) => items.map(({ name }) => name));
  };
  expect(await sorted("successRate", true)).toEqual(["good", "middling", "bad", "few"]);
  expect(await sorted("successRate", false)).toEqual(["bad", "middling", "good", "few"]);
  for (const sort of ["p95Ms", "firstTokenP95Ms"] as const) {
    expect(await sorted(sort, true)).toEqual(["bad", "middling", "good", "few"]);
    expect(await sorted(sort, false)).toEqual(["good", "middling", "bad", "few"]);
  }
});

test("the order stays for a minute, so that the pages of a list fit together; then it follows the traffic", async () => {
  const [first = 0, second = 0] = await addChannels(["first", "second"]);
  await logs(first, { count: TRAFFIC_MIN, ms: 500 });
  await logs(second, { count: TRAFFIC_MIN, ms: 5_500 });
  // What is known is known for a connection pool, so that no other test sees it.
  const own = createDatabase({ url: database.url, max: 2, applicationName: "weir-test" });
  const order = async () => {
    const { items } = await listChannels({ ...ctx, ...own }, { sort: "p95Ms", descending: false });
    return items.map(({ name }) => name);
  };
  vi.useFakeTimers({ toFake: ["Date"], now: (NOW + 120) * 1_000 });
  try {
    expect(await order()).toEqual(["first", "second"]);
    await logs(first, { count: 20, ms: 50_000 });
    vi.setSystemTime((NOW + 179) * 1_000);
    expect(await order()).toEqual(["first", "second"]);
    vi.setSystemTime((NOW + 181) * 1_000);
    expect(await order()).toEqual(["second", "first"]);
  } finally {
    vi.useRealTimers();
    await own.end();
  }
});

test("only administrators may read it", async () => {
  const actor = { type: "user", id: 2, username: "u", role: 1, group: "default", via: "session" } as const;
  await expect(readRecentTraffic({ ...ctx, actor }, null)).rejects.toMatchObject({ code: "forbidden" });
});
