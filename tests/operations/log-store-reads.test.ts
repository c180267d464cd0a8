// One log, in PostgreSQL alone, in ClickHouse alone, and split between ClickHouse, the outbox and rows from before: every
// reader gives the same.
import { randomBytes } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { createMeasure } from "@/lib/alert/measure-queries";
import { reconcileHours } from "@/lib/billing/reconcile-hours";
import { readModelFigures } from "@/lib/health/model-queries";
import { rollUpModelHealth } from "@/lib/health/model-rollup-commands";
import { listHealth } from "@/lib/health/queries";
import { rollUpChannelHealth } from "@/lib/health/rollup-commands";
import { readRecentTraffic } from "@/lib/health/traffic-queries";
import { forgetHours } from "@/lib/log-store/clear-commands";
import { commandOn, createLogStore } from "@/lib/log-store/clickhouse/client";
import { fillHourTable } from "@/lib/log-store/clickhouse/hours";
import { parseLogStoreUrl } from "@/lib/log-store/config";
import { logStore } from "@/lib/log-store/store";
import { checkOnboarding } from "@/lib/onboarding/queries";
import { findPlaygroundCharge } from "@/lib/playground/queries";
import { readTraffic } from "@/lib/pricing/effect/traffic-queries";
import { readDashboard } from "@/lib/statistics/dashboard-queries";
import { readHealthSeries } from "@/lib/statistics/health-queries";
import { listLosses, readMargin } from "@/lib/statistics/margin-queries";
import { createTestDatabase } from "@/lib/testing/database";
import { until } from "@/lib/testing/until";
import { countByTime } from "@/lib/usage-log/bar-queries";
import { listLogsSince, readLogs } from "@/lib/usage-log/batch-queries";
import { countLogsBefore } from "@/lib/usage-log/clear-queries";
import { deleteClearedLogs, deleteLogs } from "@/lib/usage-log/commands";
import { listFailureGroups } from "@/lib/usage-log/failure-queries";
import { findLog, listLoggedModels, listLogs } from "@/lib/usage-log/queries";
import { findRequest } from "@/lib/usage-log/request-queries";
import { listTokenLogs, searchLogs } from "@/lib/usage-log/search-queries";
import { sumLogs } from "@/lib/usage-log/sum-queries";
import {
  contextOf,
  drawing,
  everywhere,
  expectSame,
  fillPlace,
  PEOPLE,
  type Place,
  randomSearch,
  sortedGroups,
  testRows,
} from "./log-store-places";
import { seeded } from "./log-store-rows";
import { type OwnClickHouse, startOwnClickHouse } from "./own-clickhouse";

const HOUR = 3_600;
const DAY = 86_400;
const now = Math.floor(Date.now() / 1_000);
const random = seeded(17);
const rows = testRows(1_200, now, random);
const { oneOf } = drawing(random);
const directory = mkdtempSync(join(tmpdir(), "weir-log-store-"));
let server: OwnClickHouse;
let places: Place[] = [];

beforeAll(async () => {
  vi.useFakeTimers({ toFake: ["Date"], now: now * 1_000 });
  server = await startOwnClickHouse(directory);
  // A server that was given has what earlier runs left.
  const run = randomBytes(4).toString("hex");
  const urlOf = (name: string) => server.url.replace(/\/weir$/, `/${name}_${run}`);
  places = [
    { name: "PostgreSQL", database: await createTestDatabase(), url: "" },
    { name: "ClickHouse", database: await createTestDatabase(), url: urlOf("whole") },
    { name: "split", database: await createTestDatabase(), url: urlOf("split") },
  ];
  for (const place of places) await fillPlace(place, rows, now);
});

afterAll(async () => {
  vi.useRealTimers();
  vi.unstubAllEnvs();
  await logStore()?.end();
  for (const { database } of places) await database.drop();
  await server?.stop();
  rmSync(directory, { recursive: true, force: true });
});

describe("the usage log in a log store (B159, B250, B295)", () => {
  test("lists, counts, bars, sums and groups of failures are those of PostgreSQL, for administrators and users", async () => {
    const found: number[] = [];
    for (let round = 0; round < 60; round++) {
      const search = round === 0 ? {} : randomSearch(rows, now, random);
      const { role, id } = oneOf(PEOPLE);
      const ctx = (place: Place) => contextOf(place, role, id);
      const page = (await expectSame(places, search, (place) => listLogs(ctx(place), search))) as { total: number };
      found.push(page.total);
      await expectSame(places, search, (place) => sumLogs(ctx(place), search));
      await expectSame(places, search, (place) => countByTime(ctx(place), search));
      await expectSame(places, search, async (place) => sortedGroups(await listFailureGroups(ctx(place), search)));
    }
    expect(found.filter((total) => total > 0).length).toBeGreaterThan(30);
  });

  test("the hours of values that were noted with the rows are those that the table itself has", async () => {
    const config = parseLogStoreUrl(places[1]?.url ?? "");
    const store = createLogStore(config);
    const noted = () =>
      store.query("select distinct item, hour, user_id from usage_log_hours order by item, hour, user_id");
    const withRows = await noted();
    const [own] = store.servers;
    if (!own) throw new Error("there is no server");
    await commandOn(own, "alter table usage_log_hours delete where hour > 0");
    await until(async () => (await noted()).length === 0, 20_000);
    for (const statement of fillHourTable(config)) await commandOn(own, statement);
    expect(await noted()).toEqual(withRows);
    expect(withRows.length).toBeGreaterThan(rows.length);
    await store.end();
  });

  test("a row by its place, the search, a key's log and a pasted id find the same, and nobody else's", async () => {
    for (let round = 0; round < 25; round++) {
      const row = oneOf(rows);
      const { role, id } = oneOf(PEOPLE);
      const place = { createdAt: Number(row.json.created_at), id: row.id };
      await expectSame(places, place, (one) => findLog(contextOf(one, role, id), place));
      await expectSame(places, row.json.request_id, (one) =>
        findRequest(contextOf(one, role, id), String(row.json.request_id)),
      );
      await expectSame(places, row.id, (one) =>
        findPlaygroundCharge(contextOf(one, role, id), String(row.json.request_id)),
      );
    }
    for (const keyword of ["", "2", "5", "it's \\", "line\nbreak", "under_", "under%", "' or 1=1 --"]) {
      for (const { role, id } of PEOPLE) {
        const scope = role >= 10 ? "all" : "own";
        await expectSame(places, keyword, (one) => searchLogs(contextOf(one, role, id), scope, keyword));
      }
    }
    for (const token of [10, 11, 20, 41]) {
      await expectSame(places, token, (one) =>
        listTokenLogs(contextOf(one, 1, 1), { id: token, userId: Math.floor(token / 10) }),
      );
    }
  });

  test("exports in batches and the tail have every row once", async () => {
    for (const { role, id } of PEOPLE) {
      const all = await expectSame(places, role, async (place) => {
        const read = [];
        for await (const batch of readLogs(contextOf(place, role, id), {}, 70)) read.push(...batch);
        return read;
      });
      expect((all as unknown[]).length).toBeGreaterThan(0);
      await expectSame(places, role, (place) => listLogsSince(contextOf(place, role, id), {}, now - 900, 100));
    }
    await expectSame(places, "models", async (place) => (await listLoggedModels(contextOf(place, 10, 3))).sort());
    await expectSame(places, "count", (place) => countLogsBefore(contextOf(place, 10, 3), now - DAY));
    await expectSame(places, "onboarding", (place) => checkOnboarding(contextOf(place, 100, 4)));
  });

  test("health, traffic, charts by minute, margins, alerts and the effect of prices are the same", async () => {
    const admin = (place: Place) => contextOf(place, 100, 4);
    const minutes = { from: now - 7_000, until: now + 1, granularity: "minute", timeZone: "UTC" } as const;
    await expectSame(places, "health", async (place) =>
      summed(await listHealth(admin(place), { from: now - 5 * HOUR })),
    );
    await expectSame(places, "traffic", (place) => readRecentTraffic(admin(place), null));
    await expectSame(places, "traffic of one", (place) => readRecentTraffic(admin(place), [2]));
    await expectSame(places, "series", async (place) => {
      const { total, points } = await readHealthSeries(admin(place), minutes);
      return [total, ...points].map(({ causes, ...sums }) => ({
        ...sums,
        causes: causes.map((one) => JSON.stringify(one)).sort(),
      }));
    });
    await expectSame(places, "model", (place) => readModelFigures(place.database.sql, "gpt-4o"));
    for (const dimension of ["user", "token", "channel", "group", "model"] as const) {
      await expectSame(places, dimension, (place) =>
        readDashboard(admin(place), { ...minutes, scope: "all", dimension }),
      );
    }
    await expectSame(places, "own", (place) =>
      readDashboard(contextOf(place, 1, 2), { ...minutes, scope: "own", dimension: "token" }),
    );
    for (const dimension of ["user", "token", "channel", "model", "day"] as const) {
      await expectSame(places, dimension, (place) => readMargin(admin(place), { ...minutes, dimension }));
    }
    await expectSame(places, "losses", (place) => listLosses(admin(place), { ...minutes, dimension: "model" }));
    for (const metric of ["error_rate", "latency", "spend"] as const) {
      for (const subject of ["account", "key", "site", "channel", "model", "user"] as const) {
        const rule = { metric, subject, subjectId: subject === "key" ? 20 : 2, modelName: "it's", userId: 2 };
        await expectSame(places, rule, (place) =>
          createMeasure(place.database.sql, now)({ ...rule, windowSeconds: 4_000 }),
        );
      }
    }
    for (const requestsMax of [1_000_000, 100]) {
      const search = { models: ["gpt%", "gpt*", "it's", 'a"b\\c'], seconds: 4 * DAY, now };
      await expectSame(places, requestsMax, async (place) =>
        trafficOf(await readTraffic(place.database.sql, search, { requestsMax })),
      );
    }
  });

  test("finished hours are summed alike, and the books agree with the log", async () => {
    await expectSame(places, "roll-ups", async ({ database: { sql } }) => {
      await rollUpChannelHealth(sql, now);
      await rollUpModelHealth(sql, now);
      return {
        channels: await sql`select * from channel_hourly order by hour, channel_id, model_name, outcome`,
        models: await sql`select * from model_hourly order by hour, model_name`,
      };
    });
    const hours = { from: now - (now % HOUR) - 60 * HOUR, until: now - (now % HOUR) };
    const checked = await expectSame(places, "books", async ({ database: { sql } }) => {
      const { checked, differences } = await reconcileHours(sql, [hours]);
      return { checked, differences: differences.map((one) => JSON.stringify(one)).sort() };
    });
    expect((checked as { checked: Record<string, number> }).checked["usage_logs.quota"]).toBeGreaterThan(50);
  });

  test("what is cleared is gone at once, and only its figures stay for a day (A202)", async () => {
    const until = now - 2 * HOUR;
    await everywhere(places, (place) => deleteLogs(contextOf(place, 100, 4), until));
    for (const { role, id } of PEOPLE) {
      await expectSame(places, "cleared", (place) => listLogs(contextOf(place, role, id), { pageSize: 100 }));
    }
    const [, , split] = await everywhere(places, async (place) => (await listLogs(contextOf(place, 100, 4), {})).items);
    expect(split?.length).toBeGreaterThan(0);
    expect(split?.every(({ createdAt }) => createdAt >= until)).toBe(true);
    await everywhere(places, ({ database }) => deleteClearedLogs(database.sql));
    const url = places[1]?.url ?? "";
    const store = createLogStore(parseLogStoreUrl(url));
    const left = () =>
      store.query<{ old: string; shown: string }>(
        `select countIf(created_at < ${now - DAY}) as old, countIf(created_at < ${until} and hidden = 0) as shown from usage_logs`,
      );
    await vi.waitFor(async () => expect(await left()).toEqual([{ old: "0", shown: "0" }]), 30_000);
    const hours = () => store.query<{ day: string }>("select distinct intDiv(hour, 24) as day from usage_log_hours");
    const days = () => store.query<{ day: string }>("select distinct intDiv(created_at, 86400) as day from usage_logs");
    const [own] = store.servers;
    if (!own) throw new Error("there is no server");
    // What was noted lately stays, as its rows may be on their way.
    await forgetHours(own, store.config);
    expect((await hours()).length).toBeGreaterThan((await days()).length);
    await forgetHours(own, store.config, -60);
    expect(sortedDays(await hours())).toEqual(sortedDays(await days()));
    await store.end();
  });
});

const sortedDays = (rows: { day: string }[]) => rows.map(({ day }) => Number(day)).sort();

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
