// The refund of a task is booked in the hour in which it is made. Where nothing else was used in that hour, its row has no
// request; the wallet and every dashboard must count it all the same, or they show money as spent that was given back.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { bookSettlements } from "@/lib/billing/settlement-batch";
import { encodeSettlement } from "@/lib/billing/settlement-row";
import { ROLE, type ServiceContext } from "@/lib/context";
import { type BillingProcess, createBilledUser, settlementOf, startBillingProcess } from "@/lib/testing/billing";
import { createTestDatabase, type TestDatabase } from "@/lib/testing/database";
import { listStatement } from "@/lib/topup/statement-queries";
import { readDashboard } from "./dashboard-queries";
import { listHourlyUsage } from "./queries";
import { rollUpUsage } from "./rollup-commands";

const HOUR = 3_600;
const now = Math.floor(Date.now() / 1_000);
const hour = now - (now % HOUR);

let database: TestDatabase;
let gateway: BillingProcess;
let userId: number;
const as = (role: number): ServiceContext => ({
  ...database,
  actor: { type: "user", id: userId, username: "u", role, group: "default", via: "session" },
  clientIp: "",
});

beforeAll(async () => {
  database = await createTestDatabase();
  gateway = await startBillingProcess(database.url);
  userId = await createBilledUser(database, 10_000);
  await gateway.settler.settle(settlementOf({ userId, quota: 3_000, createdAt: hour - 30 * HOUR }));
  await gateway.settler.settle(settlementOf({ userId, quota: 500, createdAt: hour - 30 * HOUR }));
  const refund = settlementOf({ userId, type: 4, quota: -3_000, createdAt: hour - 2 * HOUR });
  const nothing = { ...refund.usage, promptTokens: 0, completionTokens: 0 };
  await database.sql.begin((tx) => bookSettlements(tx, null, [encodeSettlement({ ...refund, usage: nothing })]));
});
afterAll(async () => {
  await gateway.stop();
  await database.drop();
});

describe.each(["not summed yet", "summed"])("a refund in an hour of its own, %s", (state) => {
  beforeAll(async () => {
    if (state === "summed") for (let done = 1; done > 0; ) done = await rollUpUsage(database.sql);
  });

  test("is in the balance of the wallet", async () => {
    const [user] = await database.sql<{ quota: number }[]>`select quota from users where id = ${userId}`;
    const { items } = await listStatement(as(ROLE.user));
    expect(user?.quota).toBe(9_500);
    expect(items[0]?.balance).toBe(9_500);
    expect(items.map(({ amount }) => amount)).toContain(3_000);
  });

  test("is in what was spent, for its user and for administrators, in every breakdown", async () => {
    const window = { from: hour - 40 * HOUR, until: hour + HOUR, granularity: "hour", timeZone: "UTC" } as const;
    for (const [role, scope, dimension] of [
      [ROLE.user, "own", "model"],
      [ROLE.user, "own", "token"],
      [ROLE.admin, "all", "model"],
      [ROLE.admin, "all", "user"],
      [ROLE.admin, "all", "channel"],
    ] as const) {
      const { totals, breakdown } = await readDashboard(as(role), { ...window, scope, dimension });
      expect(totals, `${scope} ${dimension}`).toMatchObject({ count: 2, quota: 500 });
      expect(breakdown.rows.reduce((sum, { quota }) => sum + quota, 0)).toBe(500);
      expect(breakdown.rest).toMatchObject({ quota: 0 });
    }
    for (const scope of ["own", "all"] as const) {
      const rows = await listHourlyUsage(as(ROLE.admin), { scope, from: window.from, until: window.until });
      expect(rows.reduce((sum, { quota }) => sum + quota, 0)).toBe(500);
    }
  });
});
