// One log, in PostgreSQL alone, in ClickHouse alone, and split between ClickHouse, the outbox and rows from before: every
// reader gives the same.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { sql as drizzleSql } from "drizzle-orm";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { channels, tokens, users } from "@/db/schema";
import { createMeasure } from "@/lib/alert/measure-queries";
import { reconcileHours } from "@/lib/billing/reconcile-hours";
import type { ServiceContext } from "@/lib/context";
import { sha256Hex } from "@/lib/crypto";
import { readModelFigures } from "@/lib/health/model-queries";
import { rollUpModelHealth } from "@/lib/health/model-rollup-commands";
import { listHealth } from "@/lib/health/queries";
import { rollUpChannelHealth } from "@/lib/health/rollup-commands";
import { readRecentTraffic } from "@/lib/health/traffic-queries";
import { createLogStore } from "@/lib/log-store/clickhouse/client";
import { insertRows } from "@/lib/log-store/clickhouse/insert";
import { migrateLogStore } from "@/lib/log-store/clickhouse/migrations";
import { LINES_PER_OUTBOX, toStoreRow } from "@/lib/log-store/clickhouse/rows";
import { parseLogStoreUrl } from "@/lib/log-store/config";
import { logStore } from "@/lib/log-store/store";
import { checkOnboarding } from "@/lib/onboarding/queries";
import { findPlaygroundCharge } from "@/lib/playground/queries";
import { readTraffic } from "@/lib/pricing/effect/traffic-queries";
import { readDashboard } from "@/lib/statistics/dashboard-queries";
import { readHealthSeries } from "@/lib/statistics/health-queries";
import { listLosses, readMargin } from "@/lib/statistics/margin-queries";
import { createTestDatabase, type TestDatabase } from "@/lib/testing/database";
import { countByTime } from "@/lib/usage-log/bar-queries";
import { listLogsSince, readLogs } from "@/lib/usage-log/batch-queries";
import { countLogsBefore } from "@/lib/usage-log/clear-queries";
import { deleteClearedLogs, deleteLogs } from "@/lib/usage-log/commands";
import { listFailureGroups } from "@/lib/usage-log/failure-queries";
import { listLoggedModels } from "@/lib/usage-log/model-queries";
import { findLog, listLogs } from "@/lib/usage-log/queries";
import { findRequest } from "@/lib/usage-log/request-queries";
import type { LogSearch } from "@/lib/usage-log/schemas";
import { listTokenLogs, searchLogs } from "@/lib/usage-log/search-queries";
import { sumLogs } from "@/lib/usage-log/sum-queries";
import { CAUSES, MODELS, randomRows, seeded, type TestRow } from "./log-store-rows";
import { type OwnClickHouse, startOwnClickHouse } from "./own-clickhouse";

const HOUR = 3_600;
const DAY = 86_400;
const FIRST_OUTBOX = 1_048_576;
const now = Math.floor(Date.now() / 1_000);
const random = seeded(17);
const rows: TestRow[] = randomRows(1_200, now, random).map((json, place) => ({
  id: (FIRST_OUTBOX + Math.floor(place / 100)) * LINES_PER_OUTBOX + (place % 100),
  json,
}));

type Place = { name: string; database: TestDatabase; url: string };

const directory = mkdtempSync(join(tmpdir(), "weir-log-store-"));
let server: OwnClickHouse;
let places: Place[] = [];

const contextOf = ({ database }: Place, role: number, id: number): ServiceContext => ({
  ...database,
  actor: { type: "user", id, username: `user'${id}`, role, group: "default", via: "session" },
  clientIp: "",
});

/** The result of a reader in each place; the first is PostgreSQL alone. */
async function everywhere<Result>(read: (place: Place) => Promise<Result>): Promise<Result[]> {
  const results: Result[] = [];
  for (const place of places) {
    vi.stubEnv("LOG_STORE_URL", place.url);
    results.push(await read(place));
  }
  vi.unstubAllEnvs();
  return results;
}

async function expectSame(what: unknown, read: (place: Place) => Promise<unknown>): Promise<unknown> {
  const [inPostgres, ...others] = await everywhere(read);
  for (const [place, other] of others.entries()) {
    expect(other, `${places[place + 1]?.name}: ${JSON.stringify(what)}`).toEqual(inPostgres);
  }
  return inPostgres;
}

beforeAll(async () => {
  vi.useFakeTimers({ toFake: ["Date"], now: now * 1_000 });
  server = await startOwnClickHouse(directory);
  const urlOf = (name: string) => server.url.replace(/\/weir$/, `/${name}`);
  places = [
    { name: "PostgreSQL", database: await createTestDatabase(), url: "" },
    { name: "ClickHouse", database: await createTestDatabase(), url: urlOf("whole") },
    { name: "split", database: await createTestDatabase(), url: urlOf("split") },
  ];
  for (const place of places) await fill(place);
});

afterAll(async () => {
  vi.useRealTimers();
  vi.unstubAllEnvs();
  await logStore()?.end();
  for (const { database } of places) await database.drop();
  await server?.stop();
  rmSync(directory, { recursive: true, force: true });
});

async function fill({ name, database, url }: Place): Promise<void> {
  const { db } = database;
  await db.insert(users).values([1, 2, 3, 4].map((id) => ({ id, username: `user'${id}`, role: id === 4 ? 100 : 1 })));
  await db
    .insert(channels)
    .values(
      [1, 2, 3].map((id) => ({ id, name: `channel ${id}`, keyCipher: "x", models: "gpt-4o,gpt_4o,deepseek-chat" })),
    );
  await db.insert(tokens).values(
    [1, 2, 3, 4].flatMap((user) =>
      [0, 1].map((index) => {
        const id = user * 10 + index;
        return { id, userId: user, keyHash: sha256Hex(`key${id}`), keyCipher: "x", keyHint: "x", name: "main" };
      }),
    ),
  );
  if (name === "PostgreSQL") await intoPostgres(database, rows);
  if (name === "ClickHouse") await intoStore(url, rows);
  if (name === "split") {
    await intoPostgres(database, rows.slice(0, 300));
    await intoStore(url, rows.slice(300, 1_000));
    // The last shipment is still in the outbox, as while a batch is being sent.
    await intoOutbox(database, rows.slice(900));
  }
  await database.sql`
    insert into usage_hourly (hour, user_id, token_id, channel_id, model_name, "group", count, quota, prompt_tokens,
      completion_tokens, cost, unbilled_cost, unknown_costs)
    select created_at - created_at % 3600, user_id, token_id, channel_id, model_name, "group", count(*) filter (where type = 2),
      sum(quota), sum(prompt_tokens), sum(completion_tokens), coalesce(sum(cost), 0), sum(unbilled_cost),
      sum(coalesce(unknown_costs, (type = 2)::int))
    from json_populate_recordset(null::usage_logs, ${JSON.stringify(rows.map(({ json }) => json))}::text::json)
    where type in (2, 5) or type = 4 and starts_with(request_id, 'end:') group by 1, 2, 3, 4, 5, 6`;
}

async function intoPostgres({ db }: TestDatabase, some: TestRow[]): Promise<void> {
  const whole = JSON.stringify(some.map(({ id, json }) => ({ id, ...json })));
  await db.execute(drizzleSql`
    insert into usage_logs select * from json_populate_recordset(null::usage_logs, ${whole}::text::json)`);
}

async function intoStore(url: string, some: TestRow[]): Promise<void> {
  const store = createLogStore(parseLogStoreUrl(url));
  await migrateLogStore(store);
  for (let at = 0; at < some.length; at += 100) {
    const batch = at / 100 + 1;
    const block = some.slice(at, at + 100).map(({ id, json }) => toStoreRow(json, { id, batch }));
    await insertRows(store, { shard: 1, rows: block, queryId: `${url}-${batch}` });
  }
  await store.end();
}

/** Each hundred rows are one flush; what was settled before is in it and no row. */
async function intoOutbox({ sql }: TestDatabase, some: TestRow[]): Promise<void> {
  for (let at = 0; at < some.length; at += 100) {
    const block = some.slice(at, at + 100);
    const again = { ...block[0]?.json, quota: 777_777 };
    const lines = [...block.map(({ json }) => json), again].map((json) => JSON.stringify(json));
    await sql`
      insert into log_outbox (id, created_at, row_count, skipped, body)
      values (${Math.floor((block[0]?.id ?? 0) / LINES_PER_OUTBOX)}, ${now}, ${lines.length}, ${[block.length]}, ${lines.join("\n")})`;
  }
}

const below = (bound: number) => Math.floor(random() * bound);
const oneOf = <Item>(items: readonly Item[]) => items[below(items.length)] as Item;
const PEOPLE = [
  { role: 100, id: 4 },
  { role: 10, id: 3 },
  { role: 1, id: 1 },
  { role: 1, id: 2 },
];

/** Some of the filters at once, and values that are no search but SQL. */
function randomSearch(): LogSearch {
  const row = oneOf(rows).json;
  const evil = ["' or 1=1 --", "\\' or 1=1 --", "%' or '1'='1", "'; drop table usage_logs --", "\\", "😀'"];
  const text = (value: unknown) => (below(12) === 0 ? oneOf(evil) : String(value));
  const filters: [keyof LogSearch, () => unknown][] = [
    ["type", () => oneOf([1, 2, 3, 4, 5])],
    ["username", () => text(row.username)],
    ["tokenName", () => text(row.token_name)],
    ["group", () => text(row.group)],
    ["modelName", () => text(oneOf([...MODELS, "gpt%", "%o%", "%_4o", "%%", "%'s", '%"b\\%']))],
    ["channelId", () => 1 + below(4)],
    ["requestId", () => text(row.request_id)],
    ["statusCode", () => oneOf([400, 429, 502, 999])],
    ["errorCode", () => text(oneOf(["bad_response", "o'code"]))],
    ["errorCause", () => text(oneOf(CAUSES))],
    ["cost", () => true],
    ["unbilledCost", () => true],
    ["startTimestamp", () => now - below(5 * DAY)],
    ["endTimestamp", () => now - below(2 * DAY)],
  ];
  const chosen = filters.filter(() => below(6) === 0).map(([field, value]) => [field, value()]);
  return { ...Object.fromEntries(chosen), page: below(4), pageSize: oneOf([1, 10, 37, 100]) };
}

describe("the usage log in a log store (B159, B250, B295)", () => {
  test("lists, counts, bars, sums and groups of failures are those of PostgreSQL, for administrators and users", async () => {
    const found: number[] = [];
    for (let round = 0; round < 60; round++) {
      const search = round === 0 ? {} : randomSearch();
      const { role, id } = oneOf(PEOPLE);
      const ctx = (place: Place) => contextOf(place, role, id);
      const page = (await expectSame(search, (place) => listLogs(ctx(place), search))) as { total: number };
      found.push(page.total);
      await expectSame(search, (place) => sumLogs(ctx(place), search));
      await expectSame(search, (place) => countByTime(ctx(place), search));
      await expectSame(search, async (place) => sorted(await listFailureGroups(ctx(place), search)));
    }
    expect(found.filter((total) => total > 0).length).toBeGreaterThan(30);
  });

  test("a row by its place, the search, a key's log and a pasted id find the same, and nobody else's", async () => {
    for (let round = 0; round < 25; round++) {
      const row = oneOf(rows);
      const { role, id } = oneOf(PEOPLE);
      const place = { createdAt: Number(row.json.created_at), id: row.id };
      await expectSame(place, (one) => findLog(contextOf(one, role, id), place));
      await expectSame(row.json.request_id, (one) =>
        findRequest(contextOf(one, role, id), String(row.json.request_id)),
      );
      await expectSame(row.id, (one) => findPlaygroundCharge(contextOf(one, role, id), String(row.json.request_id)));
    }
    for (const keyword of ["", "2", "5", "it's \\", "line\nbreak", "under_", "under%", "' or 1=1 --"]) {
      for (const { role, id } of PEOPLE) {
        const scope = role >= 10 ? "all" : "own";
        await expectSame(keyword, (one) => searchLogs(contextOf(one, role, id), scope, keyword));
      }
    }
    for (const token of [10, 11, 20, 41]) {
      await expectSame(token, (one) => listTokenLogs(contextOf(one, 1, 1), `sk-key${token}`));
    }
  });

  test("exports in batches and the tail have every row once", async () => {
    for (const { role, id } of PEOPLE) {
      const all = await expectSame(role, async (place) => {
        const read = [];
        for await (const batch of readLogs(contextOf(place, role, id), {}, 70)) read.push(...batch);
        return read;
      });
      expect((all as unknown[]).length).toBeGreaterThan(0);
      await expectSame(role, (place) => listLogsSince(contextOf(place, role, id), {}, now - 900, 100));
    }
    await expectSame("models", async (place) => (await listLoggedModels(contextOf(place, 10, 3))).sort());
    await expectSame("count", (place) => countLogsBefore(contextOf(place, 10, 3), now - DAY));
    await expectSame("onboarding", (place) => checkOnboarding(contextOf(place, 100, 4)));
  });

  test("health, traffic, charts by minute, margins, alerts and the effect of prices are the same", async () => {
    const admin = (place: Place) => contextOf(place, 100, 4);
    const minutes = { from: now - 7_000, until: now + 1, granularity: "minute", timeZone: "UTC" } as const;
    await expectSame("health", async (place) => summed(await listHealth(admin(place), { from: now - 5 * HOUR })));
    await expectSame("traffic", (place) => readRecentTraffic(admin(place), null));
    await expectSame("traffic of one", (place) => readRecentTraffic(admin(place), [2]));
    await expectSame("series", async (place) => {
      const { total, points } = await readHealthSeries(admin(place), minutes);
      return [total, ...points].map(({ causes, ...sums }) => ({
        ...sums,
        causes: causes.map((one) => JSON.stringify(one)).sort(),
      }));
    });
    await expectSame("model", (place) => readModelFigures(place.database.sql, "gpt-4o"));
    for (const dimension of ["user", "token", "channel", "group", "model"] as const) {
      await expectSame(dimension, (place) => readDashboard(admin(place), { ...minutes, scope: "all", dimension }));
    }
    await expectSame("own", (place) =>
      readDashboard(contextOf(place, 1, 2), { ...minutes, scope: "own", dimension: "token" }),
    );
    for (const dimension of ["user", "token", "channel", "model", "day"] as const) {
      await expectSame(dimension, (place) => readMargin(admin(place), { ...minutes, dimension }));
    }
    await expectSame("losses", (place) => listLosses(admin(place), { ...minutes, dimension: "model" }));
    for (const metric of ["error_rate", "latency", "spend"] as const) {
      for (const subject of ["account", "key", "site", "channel", "model", "user"] as const) {
        const rule = { metric, subject, subjectId: subject === "key" ? 20 : 2, modelName: "it's", userId: 2 };
        await expectSame(rule, (place) => createMeasure(place.database.sql, now)({ ...rule, windowSeconds: 4_000 }));
      }
    }
    for (const requestsMax of [1_000_000, 100]) {
      const search = { models: ["gpt%", "gpt*", "it's", 'a"b\\c'], seconds: 4 * DAY, now };
      await expectSame(requestsMax, async (place) =>
        trafficOf(await readTraffic(place.database.sql, search, { requestsMax })),
      );
    }
  });

  test("finished hours are summed alike, and the books agree with the log", async () => {
    await expectSame("roll-ups", async ({ database: { sql } }) => {
      await rollUpChannelHealth(sql, now);
      await rollUpModelHealth(sql, now);
      return {
        channels: await sql`select * from channel_hourly order by hour, channel_id, model_name, outcome`,
        models: await sql`select * from model_hourly order by hour, model_name`,
      };
    });
    const hours = { from: now - (now % HOUR) - 60 * HOUR, until: now - (now % HOUR) };
    const checked = await expectSame("books", async ({ database: { sql } }) => {
      const { checked, differences } = await reconcileHours(sql, [hours]);
      return { checked, differences: differences.map((one) => JSON.stringify(one)).sort() };
    });
    expect((checked as { checked: Record<string, number> }).checked["usage_logs.quota"]).toBeGreaterThan(50);
  });

  test("what is cleared is gone at once, and only its figures stay for a day (A202)", async () => {
    const until = now - 2 * HOUR;
    await everywhere((place) => deleteLogs(contextOf(place, 100, 4), until));
    for (const { role, id } of PEOPLE) {
      await expectSame("cleared", (place) => listLogs(contextOf(place, role, id), { pageSize: 100 }));
    }
    const [, , split] = await everywhere(async (place) => (await listLogs(contextOf(place, 100, 4), {})).items);
    expect(split?.length).toBeGreaterThan(0);
    expect(split?.every(({ createdAt }) => createdAt >= until)).toBe(true);
    await everywhere(({ database }) => deleteClearedLogs(database.sql));
    const url = places[1]?.url ?? "";
    const store = createLogStore(parseLogStoreUrl(url));
    const left = () =>
      store.query<{ old: string; shown: string }>(
        `select countIf(created_at < ${now - DAY}) as old, countIf(created_at < ${until} and hidden = 0) as shown from usage_logs`,
      );
    await vi.waitFor(async () => expect(await left()).toEqual([{ old: "0", shown: "0" }]), 30_000);
    await store.end();
  });
});

/** Sums of one key may come in parts. */
function summed(
  all: { channelId: number; hour: number; modelName: string; outcome: string; count: number; quota: number }[],
) {
  const sums = new Map<string, number[]>();
  for (const { channelId, hour, modelName, outcome, count, quota } of all) {
    const key = JSON.stringify([channelId, hour, modelName, outcome]);
    const [counts = 0, quotas = 0] = sums.get(key) ?? [];
    sums.set(key, [counts + count, quotas + quota]);
  }
  return [...sums].sort();
}

/** The same for the preview of prices. */
function trafficOf(read: Awaited<ReturnType<typeof readTraffic>>) {
  const sums = new Map<string, number[]>();
  for (const { usage, requests, charged, ...row } of read?.traffic ?? []) {
    const { promptTokens, cachedTokens, cacheWriteTokens, meters } = usage;
    const key = JSON.stringify([row, meters, row.isEach ? promptTokens : 0]);
    const known = sums.get(key) ?? [0, 0, 0, 0, 0];
    const added = [requests, charged, promptTokens, cachedTokens, cacheWriteTokens];
    sums.set(
      key,
      known.map((sum, place) => sum + (added[place] ?? 0)),
    );
  }
  return { coverage: read?.coverage, booked: [...(read?.booked ?? [])].sort(), sums: [...sums].sort() };
}

function sorted({ groups, isPart }: Awaited<ReturnType<typeof listFailureGroups>>) {
  return { isPart, groups: groups.map((group) => JSON.stringify(group, Object.keys(group).sort())).sort() };
}
