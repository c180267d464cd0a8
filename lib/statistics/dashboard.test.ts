import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { channels, tokens, usageHourly, usageLogs, users } from "@/db/schema";
import type { ServiceContext } from "@/lib/context";
import { createTestDatabase, type TestDatabase } from "@/lib/testing/database";
import { listBuckets } from "./bucket-queries";
import { readDashboard } from "./dashboard-queries";
import { readHealthSeries } from "./health-queries";
import type { DashboardSearch } from "./schemas";

const HOUR = 3_600;
const DAY = 86_400;
const at = (text: string) => Math.floor(Date.parse(text) / 1000);

let database: TestDatabase;
let admin: ServiceContext;
let alice: ServiceContext;

const contextOf = (id: number, role: number): ServiceContext => ({
  ...database,
  actor: { type: "user", id, username: `user${id}`, role, group: "default", via: "session" },
  clientIp: "",
});

type Usage = Partial<typeof usageHourly.$inferInsert> & { hour: number };
const book = (rows: Usage[]) =>
  database.db.insert(usageHourly).values(
    rows.map((row) => ({
      userId: 2,
      tokenId: 1,
      channelId: 1,
      modelName: "m",
      group: "default",
      count: 1,
      quota: 10,
      promptTokens: 3,
      completionTokens: 4,
      ...row,
    })),
  );

const search = (fields: Partial<DashboardSearch>): DashboardSearch => ({
  scope: "all",
  from: at("2026-03-02T00:00:00Z"),
  until: at("2026-03-03T00:00:00Z"),
  granularity: "hour",
  timeZone: "UTC",
  dimension: "model",
  ...fields,
});

beforeAll(async () => {
  database = await createTestDatabase();
  admin = contextOf(1, 10);
  alice = contextOf(2, 1);
  await database.db.insert(users).values([
    { id: 1, username: "admin", role: 10 },
    { id: 2, username: "alice" },
    { id: 3, username: "bob" },
  ]);
  await database.db
    .insert(tokens)
    .values({ id: 1, userId: 2, name: "laptop", keyHash: "h", keyCipher: "c", keyHint: "k" });
  await database.db.insert(channels).values({ id: 1, name: "first", keyCipher: "x" });
  const noon = at("2026-03-02T12:00:00Z");
  await book([
    ...Array.from({ length: 12 }, (_, i) => ({ hour: noon, modelName: `model-${i}`, quota: 100 * (12 - i) })),
    { hour: noon + HOUR, modelName: "model-0", userId: 3, tokenId: 2, channelId: 2, group: "vip", quota: 7 },
    // The previous day, which the change is compared with.
    { hour: noon - DAY, modelName: "model-0", quota: 3_900, count: 26, promptTokens: 0, completionTokens: 1 },
  ]);
});
afterAll(() => database.drop());

describe("the dashboard's figures", () => {
  test("sum the window, have a point for every hour and fold all but nine models into one", async () => {
    const { totals, buckets, models, previous, minutes } = await readDashboard(admin, search({}));
    expect(totals).toEqual({ quota: 7_807, count: 13, tokens: 91 });
    expect(previous).toEqual({ quota: 3_900, count: 26, tokens: 1 });
    expect(minutes).toBe(1_440);
    expect(buckets).toHaveLength(24);
    expect(models.map(({ name }) => name)).toEqual([...Array.from({ length: 9 }, (_, i) => `model-${i}`), null]);
    expect(models[0]?.points.map(({ quota }) => quota)).toEqual([...Array(12).fill(0), 1_200, 7, ...Array(10).fill(0)]);
    expect(models[9]).toMatchObject({ quota: 600, count: 3 });
    const sum = models.flatMap(({ points }) => points).reduce((all, { quota }) => all + quota, 0);
    expect(sum).toBe(totals.quota);
  });

  test("are broken down by model, token, user, group and channel, most expensive first", async () => {
    const by = async (dimension: DashboardSearch["dimension"]) =>
      (await readDashboard(admin, search({ dimension }))).breakdown.rows.map(({ key, label, owner, quota }) => [
        key,
        label,
        owner,
        quota,
      ]);
    expect((await by("model"))[0]).toEqual(["model-0", "model-0", "", 1_207]);
    expect(await by("token")).toEqual([
      ["1", "laptop", "alice", 7_800],
      ["2", "", "", 7],
    ]);
    expect(await by("user")).toEqual([
      ["2", "alice", "", 7_800],
      ["3", "bob", "", 7],
    ]);
    expect(await by("group")).toEqual([
      ["default", "default", "", 7_800],
      ["vip", "vip", "", 7],
    ]);
    expect(await by("channel")).toEqual([
      ["1", "first", "", 7_800],
      ["2", "", "", 7],
    ]);
  });

  test("are everybody's for administrators, one user's by name, and one's own for everybody else", async () => {
    expect((await readDashboard(admin, search({ username: "BOB" }))).totals.quota).toBe(7);
    expect((await readDashboard(admin, search({ username: "nobody" }))).totals.quota).toBe(0);
    expect((await readDashboard(alice, search({ scope: "own", username: "bob" }))).totals.quota).toBe(7_800);
    await expect(readDashboard(alice, search({}))).rejects.toMatchObject({ code: "forbidden" });
    for (const dimension of ["user", "channel"] as const) {
      await expect(readDashboard(alice, search({ scope: "own", dimension }))).rejects.toMatchObject({
        code: "forbidden",
      });
    }
  });

  test("are refused for a window that is too long or backwards and for a zone that is none (B254)", async () => {
    const from = at("2026-01-01T00:00:00Z");
    const refused = (ctx: ServiceContext, fields: Partial<DashboardSearch>) =>
      expect(readDashboard(ctx, search({ from, ...fields }))).rejects;
    await refused(alice, { scope: "own", until: from + 32 * DAY }).toMatchObject({ messageKey: "timeRangeTooLong" });
    await refused(admin, { until: from + 40 * DAY }).toMatchObject({ messageKey: "timeRangeTooLong" });
    await refused(admin, { until: from + 400 * DAY, granularity: "week" }).toMatchObject({
      messageKey: "timeRangeTooLong",
    });
    await refused(admin, { until: from }).toMatchObject({ messageKey: "timeRangeInvalid" });
    for (const timeZone of ["Mars/Olympus", "+08:00", "x'; drop table users --", ""])
      await refused(admin, { until: from + DAY, timeZone }).toMatchObject({ messageKey: "timeZoneUnknown" });
  });
});

describe("days and weeks (B308)", () => {
  const local = (seconds: number, timeZone: string) =>
    new Intl.DateTimeFormat("sv-SE", { timeZone, dateStyle: "short", timeStyle: "short" }).format(seconds * 1000);

  test("begin at midnight of the chosen zone, also where the clock changes", async () => {
    const timeZone = "Europe/Berlin";
    const window = { from: at("2026-03-28T00:00:00Z"), until: at("2026-03-31T00:00:00Z"), granularity: "day" as const };
    const days = await listBuckets(database.sql, { ...window, timeZone });
    expect(days.map((day) => local(day, timeZone))).toEqual([
      "2026-03-28 00:00",
      "2026-03-29 00:00",
      "2026-03-30 00:00",
      "2026-03-31 00:00",
    ]);
    // The day on which the clocks go forward has 23 hours.
    expect((days[2] ?? 0) - (days[1] ?? 0)).toBe(23 * HOUR);
  });

  test("put an hour into the day it has there", async () => {
    const hour = at("2026-05-10T20:00:00Z");
    await book([{ hour, modelName: "zone", quota: 5 }]);
    const of = async (timeZone: string) => {
      const window = { from: hour - 2 * DAY, until: hour + 2 * DAY, granularity: "day" as const };
      const { buckets, models } = await readDashboard(admin, search({ ...window, timeZone }));
      const place = models.find(({ name }) => name === "zone")?.points.findIndex(({ quota }) => quota === 5) ?? -1;
      return local(buckets[place] ?? 0, timeZone);
    };
    expect(await of("UTC")).toBe("2026-05-10 00:00");
    expect(await of("Asia/Shanghai")).toBe("2026-05-11 00:00");
    expect(await of("America/Los_Angeles")).toBe("2026-05-10 00:00");
    expect(await of("Asia/Kolkata")).toBe("2026-05-11 00:00");
  });

  test("are ISO weeks from Monday, in order across the turn of the year", async () => {
    const window = {
      from: at("2025-12-20T00:00:00Z"),
      until: at("2026-01-12T00:00:00Z"),
      granularity: "week" as const,
    };
    const weeks = await listBuckets(database.sql, { ...window, timeZone: "Asia/Shanghai" });
    expect(weeks.map((week) => local(week, "Asia/Shanghai"))).toEqual([
      "2025-12-15 00:00",
      "2025-12-22 00:00",
      "2025-12-29 00:00",
      "2026-01-05 00:00",
      "2026-01-12 00:00",
    ]);
  });
});

test("errors and latency come from finished hours and the live rest alike, for administrators only", async () => {
  const now = Math.floor(Date.now() / 1000);
  const row = { userId: 2, channelId: 1, modelName: "h", createdAt: now - 5 };
  await database.db.insert(usageLogs).values([
    { ...row, requestId: "h1", useTimeMs: 1_000 },
    { ...row, requestId: "h2", useTimeMs: 1_000 },
    { ...row, requestId: "h3", type: 5, other: { status_code: 502 } },
  ]);
  const hour = now - (now % HOUR) - 20 * HOUR;
  await database.sql`
    insert into channel_hourly (hour, channel_id, model_name, outcome, count, latency_buckets)
    values (${hour}, 1, 'h', 'timeout', 3, array_fill(0::bigint, array[17])), (${hour}, 2, 'g', 'timeout', 2, array_fill(0::bigint, array[17])),
      (${hour}, 0, '', 'timeout', 5, array_fill(0::bigint, array[17]))`;
  const window = { from: now - DAY, until: now + HOUR, granularity: "hour" as const, timeZone: "UTC" };
  const { total, points, missing } = await readHealthSeries(admin, window);
  // The job has not run: hours that are neither live nor summed are reported as missing.
  expect(missing?.from).toBe(now - DAY - ((now - DAY) % HOUR));
  await database.sql`insert into job_positions (job, position) values ('channel-health', ${now - (now % HOUR) - HOUR})`;
  expect((await readHealthSeries(admin, window)).missing).toBeNull();
  expect(total).toMatchObject({ requests: 8, failed: 6, succeeded: 2 });
  expect(total.causes).toEqual([
    { outcome: "timeout", count: 5 },
    { outcome: "failed", count: 1 },
  ]);
  expect(points.find(({ bucket }) => bucket === hour)).toMatchObject({ requests: 5, failed: 5, p50Ms: null });
  expect(points.at(-1)?.p50Ms ?? points.at(-2)?.p50Ms).toBeGreaterThan(800);
  await expect(readHealthSeries(alice, window)).rejects.toMatchObject({ code: "forbidden" });
  await expect(readHealthSeries(admin, { ...window, from: now - 40 * DAY })).rejects.toMatchObject({
    messageKey: "timeRangeTooLong",
  });
});
