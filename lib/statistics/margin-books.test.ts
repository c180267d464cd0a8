// What the cost and margin pages show is what the log has: requests settled by the real settler, summed in every way.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { ServiceContext } from "@/lib/context";
import {
  type BillingProcess,
  costOf,
  createBilledChannel,
  createBilledUser,
  settlementOf,
  startBillingProcess,
} from "@/lib/testing/billing";
import { createTestDatabase, type TestDatabase } from "@/lib/testing/database";
import { readDashboard } from "./dashboard-queries";
import { listLosses, type MarginSearch, readMargin } from "./margin-queries";
import { MARGIN_DIMENSIONS, type MarginTotals } from "./margin-types";
import { rollUpUsage } from "./rollup-commands";

const HOUR = 3_600;
const now = Math.floor(Date.now() / 1_000);

let database: TestDatabase;
let gateway: BillingProcess;

const admin = (): ServiceContext => ({
  ...database,
  actor: { type: "user", id: 1, username: "a", role: 10, group: "default", via: "session" },
  clientIp: "",
});

beforeAll(async () => {
  database = await createTestDatabase();
  gateway = await startBillingProcess(database.url);
  const channels = [await createBilledChannel(database), await createBilledChannel(database)];
  const users = [await createBilledUser(database, 1_000_000), await createBilledUser(database, 1_000_000)];
  const settled = Array.from({ length: 60 }, (_, i) =>
    settlementOf({
      userId: users[i % 2] ?? 0,
      channelId: channels[i % 3 === 0 ? 1 : 0] ?? 0,
      modelName: `model-${i % 4}`,
      quota: i % 7 === 0 ? 0 : 100 + i,
      cost: i % 5 === 0 ? costOf(null, 0, 1) : costOf(90 + 3 * (i % 9), i % 11, i % 6 === 0 ? 1 : 0),
      createdAt: now - 60 - i * (i % 2 === 0 ? 20 : 5 * HOUR),
    }),
  );
  await Promise.all(settled.map((settlement) => gateway.settler.settle(settlement)));
});
afterAll(async () => {
  await gateway.stop();
  await database.drop();
});

const logged = (from: number) =>
  database.sql<MarginTotals[]>`
    select count(*) filter (where type = 2)::bigint as count, sum(quota)::bigint as sold, coalesce(sum(cost), 0)::bigint as bought,
      sum(unbilled_cost)::bigint as unbilled, sum(coalesce(unknown_costs, (type = 2)::int))::bigint as unknown
    from usage_logs where type in (2, 5) and created_at >= ${from}`.then(([row]) => row);

function sum(rows: readonly MarginTotals[]): MarginTotals {
  const of = (name: keyof MarginTotals) => rows.reduce((total, row) => total + row[name], 0);
  return {
    count: of("count"),
    sold: of("sold"),
    bought: of("bought"),
    unbilled: of("unbilled"),
    unknown: of("unknown"),
  };
}

const days: Omit<MarginSearch, "dimension"> = {
  from: now - (now % HOUR) - 30 * 24 * HOUR,
  until: now + 60,
  granularity: "day",
  timeZone: "Asia/Shanghai",
};
const minutes: Omit<MarginSearch, "dimension"> = {
  from: now - (now % 60) - 15 * 60,
  until: now + 60,
  granularity: "minute",
  timeZone: "UTC",
};

describe.each(["before", "after"])("%s the hours are summed", (when) => {
  beforeAll(async () => {
    if (when === "before") return;
    for (let done = 1; done > 0; ) done = await rollUpUsage(database.sql);
  });

  test.each(MARGIN_DIMENSIONS)(
    "sold, bought and unknown by %s are the log's, over a month and over minutes",
    async (dimension) => {
      for (const window of [days, minutes]) {
        const report = await readMargin(admin(), { ...window, dimension });
        const all = await logged(report.window.from);
        expect(report.totals).toEqual(all);
        expect(sum(report.points)).toEqual(all);
        expect(sum([...report.rows, report.rest])).toEqual(all);
        expect(report.rest.count).toBe(0);
      }
    },
  );

  test("the losses are the log's pairs of model and channel that cost more than they bring in", async () => {
    const expected = await database.sql`
      select channel_id as "channelId", model_name as "modelName", sum(quota)::bigint as sold, sum(cost)::bigint as bought
      from usage_logs where type in (2, 5) group by 1, 2 having sum(cost) > sum(quota) order by sum(cost) - sum(quota) desc, 1, 2`;
    const { rows, count } = await listLosses(admin(), { ...days, dimension: "model" });
    expect(rows.map(({ channelId, modelName, sold, bought }) => ({ channelId, modelName, sold, bought }))).toEqual([
      ...expected,
    ]);
    expect(count).toBe(expected.length);
  });

  test("the dashboard of a quarter of an hour has the log's requests, of all and of one user", async () => {
    const { dimension: _, ...window } = { ...minutes, dimension: "model" };
    const { totals, buckets } = await readDashboard(admin(), { ...window, scope: "all", dimension: "channel" });
    expect(totals).toMatchObject({
      count: (await logged(minutes.from))?.count,
      quota: (await logged(minutes.from))?.sold,
    });
    expect(buckets.every((start) => start % 60 === 0)).toBe(true);
    const [user] = await database.sql<{ name: string; quota: number }[]>`
      select users.username as name, sum(usage_logs.quota)::bigint as quota from usage_logs join users on users.id = user_id
      where usage_logs.type = 2 and usage_logs.created_at >= ${minutes.from} group by 1 order by 1 limit 1`;
    const one = await readDashboard(admin(), { ...window, scope: "all", dimension: "token", username: user?.name });
    expect(one.totals.quota).toBe(user?.quota);
    expect(one.breakdown.rows.reduce((total, { quota }) => total + quota, 0)).toBe(user?.quota);
  });
});
