// What the upstreams should bill is booked with the charge: in the log row and in the hourly sums, in one transaction, and
// the nightly check proves that both say the same. It changes no balance.
import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  type BillingProcess,
  costOf,
  createBilledChannel,
  createBilledUser,
  settlementOf,
  startBillingProcess,
} from "@/lib/testing/billing";
import { createTestDatabase, type TestDatabase } from "@/lib/testing/database";
import { readingLog } from "@/lib/testing/log-store";
import { rewriteBooks } from "@/lib/testing/rewrite-books";
import { toQuota } from "./quota";
import { reconcile } from "./reconcile";
import { type HourRange, reconcileHours } from "./reconcile-hours";
import { keepRefused, listRefused } from "./refused-commands";
import { bookSettlements } from "./settlement-batch";
import { encodeSettlement } from "./settlement-row";
import type { CostSum } from "./types";

const HOUR = 3_600;
const hour = Math.floor(Date.now() / 1_000 / HOUR) * HOUR - 5 * HOUR;

let database: TestDatabase;
let gateway: BillingProcess;
let channelId: number;

beforeAll(async () => {
  database = await createTestDatabase();
  gateway = await startBillingProcess(database.url);
  channelId = await createBilledChannel(database);
});
afterAll(async () => {
  await gateway.stop();
  await database.drop();
});

const known = (userId: number, cost: CostSum, given: object = {}) =>
  settlementOf({ userId, channelId, quota: 40, cost, createdAt: hour + 60, ...given });

const metered = (userId: number) =>
  database.sql`
    select sum(count)::bigint as count, sum(quota)::bigint as quota, sum(cost)::bigint as cost,
      sum(unbilled_cost)::bigint as unbilled, sum(unknown_costs)::bigint as unknown
    from usage_hourly where user_id = ${userId}`.then(([row]) => row);

const compareHours = (ranges: readonly HourRange[]) =>
  readingLog(database.sql, () => reconcileHours(database.sql, ranges));

async function differences() {
  const all = await compareHours([{ from: hour, until: hour + HOUR }]);
  return [...(await reconcile(database.sql)).differences, ...all.differences];
}

describe("the cost of a request", () => {
  test("is in its row and in the sums of its hour, and balances stay as they are", async () => {
    const userId = await createBilledUser(database, 1_000);
    await Promise.all([
      gateway.settler.settle(known(userId, costOf(25))),
      gateway.settler.settle(known(userId, costOf(60, 10))),
    ]);
    await gateway.settler.settle(known(userId, costOf(null, 0, 1)));
    expect(await metered(userId)).toEqual({ count: 3, quota: 120, cost: 85, unbilled: 10, unknown: 1 });
    const logged = () => database.sql`
      select cost, unbilled_cost as unbilled, unknown_costs as unknown from usage_logs where user_id = ${userId} order by id`;
    expect(await readingLog(database.sql, logged)).toEqual([
      { cost: 25, unbilled: 0, unknown: 0 },
      { cost: 60, unbilled: 10, unknown: 0 },
      { cost: null, unbilled: 0, unknown: 1 },
    ]);
    expect(await database.sql`select quota, used_quota from users where id = ${userId}`).toEqual([
      { quota: 880, used_quota: 120 },
    ]);
    expect(await differences()).toEqual([]);
  });

  test("booked again under the same request id counts once", async () => {
    const userId = await createBilledUser(database, 1_000);
    const settlement = known(userId, costOf(25));
    await gateway.settler.settle(settlement);
    await bookSettlements(database.sql, null, [encodeSettlement(settlement)]);
    expect(await metered(userId)).toMatchObject({ count: 1, cost: 25 });
  });

  test("of a request that failed is in the sums, though the request is not", async () => {
    const userId = await createBilledUser(database, 1_000);
    await gateway.settler.settle(known(userId, costOf(30, 30), { type: 5, quota: toQuota(0) }));
    await gateway.settler.settle(known(userId, costOf(null, 0, 2), { type: 5, quota: toQuota(0) }));
    expect(await metered(userId)).toEqual({ count: 0, quota: 0, cost: 30, unbilled: 30, unknown: 2 });
    expect(await database.sql`select quota, request_count from users where id = ${userId}`).toEqual([
      { quota: 1_000, request_count: 0 },
    ]);
    expect(await differences()).toEqual([]);
  });

  test("that failed for nothing leaves no row in the sums", async () => {
    const userId = await createBilledUser(database, 1_000);
    await gateway.settler.settle(known(userId, costOf(0), { type: 5, quota: toQuota(0) }));
    expect(await database.sql`select from usage_hourly where user_id = ${userId}`).toHaveLength(0);
  });

  test("a settlement of the version before, without a cost, is one of unknown cost and never one of none", async () => {
    const userId = await createBilledUser(database, 1_000);
    const { json, ...row } = encodeSettlement(known(userId, costOf(25)));
    const { cost: _, unbilled_cost: __, unknown_costs: ___, ...old } = JSON.parse(json) as Record<string, unknown>;
    await bookSettlements(database.sql, null, [{ ...row, json: JSON.stringify(old), columns: null }]);
    expect(await metered(userId)).toEqual({ count: 1, quota: 40, cost: 0, unbilled: 0, unknown: 1 });
    expect(await differences()).toEqual([]);
  });

  test("in an hour that has requests from before there were costs: those stay unknown", async () => {
    const userId = await createBilledUser(database, 1_000);
    await gateway.settler.settle(known(userId, costOf(25)));
    await database.sql`
      update usage_hourly set unknown_costs = null, cost = 0 where user_id = ${userId}`;
    await readingLog(database.sql, () =>
      rewriteBooks(
        database.sql,
        (tx) => tx`
      update usage_logs set unknown_costs = null, cost = null where user_id = ${userId}`,
      ),
    );
    await gateway.settler.settle(known(userId, costOf(7)));
    expect(await metered(userId)).toEqual({ count: 2, quota: 80, cost: 7, unbilled: 0, unknown: 1 });
    expect(await differences()).toEqual([]);
  });
});

test("a charge that the database refuses is listed with its cost, whatever its names look like", async () => {
  const userId = await createBilledUser(database, 0);
  const reason = { code: "22003", message: "no" } as const;
  const looksLikeOne = { tokenName: '"cost":1,', username: '"cost":2}' };
  for (const cost of [costOf(25), costOf(null, 0, 1)]) {
    const settlement = known(userId, cost, { ...looksLikeOne, requestId: randomUUID() });
    await keepRefused(database.sql, encodeSettlement(settlement), reason);
  }
  const costs = (await listRefused(database.sql, 10)).map((charge) => charge.cost);
  expect(costs.sort()).toEqual([25, null]);
});

describe("the nightly check", () => {
  test.each([
    ["a cost", "update usage_hourly set cost = cost + 1 where user_id ="],
    ["one of a request that failed", "update usage_logs set cost = cost - 1 where type = 5 and user_id ="],
    ["what nobody was charged for", "update usage_hourly set unbilled_cost = 0 where user_id ="],
    ["an unknown cost that became none", "update usage_logs set unknown_costs = 0 where type = 2 and user_id ="],
  ])("finds %s that differs between the log and the sums", async (_name, statement) => {
    const userId = await createBilledUser(database, 1_000);
    const createdAt = hour + 2 * HOUR + 60;
    await gateway.settler.settle(known(userId, costOf(25, 5, 1), { createdAt, requestId: randomUUID() }));
    await gateway.settler.settle(known(userId, costOf(9, 9), { createdAt, type: 5, quota: toQuota(0) }));
    const range = [{ from: hour + 2 * HOUR, until: hour + 3 * HOUR }];
    expect((await compareHours(range)).differences).toEqual([]);
    await rewriteBooks(database.sql, `${statement} ${userId}`);
    const { differences: found } = await compareHours(range);
    expect(found).toEqual([expect.objectContaining({ check: "usage_logs.cost", id: hour + 2 * HOUR })]);
    await rewriteBooks(database.sql, (tx) => tx`delete from usage_logs where user_id = ${userId}`);
    await database.sql`delete from usage_hourly where user_id = ${userId}`;
  });
});
