import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, expect, test } from "vitest";
import {
  type BillingProcess,
  createBilledToken,
  createBilledUser,
  settlementOf,
  startBillingProcess,
} from "@/lib/testing/billing";
import { createTestDatabase, type TestDatabase } from "@/lib/testing/database";
import { readingLog } from "@/lib/testing/log-store";
import { reconcile } from "./reconcile";
import { retireNode } from "./retire-commands";
import { encodeSettlement } from "./settlement-row";

let database: TestDatabase;
let gateway: BillingProcess;
const errors: unknown[] = [];

beforeAll(async () => {
  database = await createTestDatabase();
  gateway = await startBillingProcess(database.url, { onError: (error: unknown) => errors.push(error) });
});
afterAll(async () => {
  await gateway.stop();
  await database.drop();
});

test("thousands of charges of an ended process are booked once, while others charge the same accounts, and twice is once", async () => {
  const users = await Promise.all([1, 2, 3].map(() => createBilledUser(database, 1_000_000)));
  const accounts = await Promise.all(
    users.map(async (userId) => ({ userId, tokenId: await createBilledToken(database, userId, 500_000) })),
  );
  const accountOf = (at: number) => accounts[at % accounts.length] as { userId: number; tokenId: number };
  // The last account first, so that parts would lock accounts in the wrong order.
  const left = Array.from({ length: 2_600 }, (_, at) =>
    encodeSettlement(settlementOf({ ...accountOf(at < 1_300 ? 2 : 0), requestId: randomUUID(), quota: 3 })),
  );
  const running = Array.from({ length: 1_500 }, (_, at) =>
    gateway.settler.settle(settlementOf({ ...accountOf(at), quota: 1 })),
  );
  await Promise.all([retireNode(database.sql, randomUUID(), left, []), ...running]);
  await retireNode(database.sql, randomUUID(), left, []);
  const [charged] = await readingLog(
    database.sql,
    () => database.sql`select count(*)::int as rows, sum(quota)::int as quota from usage_logs`,
  );
  expect(charged).toEqual({ rows: 4_100, quota: 2_600 * 3 + 1_500 });
  expect((await reconcile(database.sql)).differences).toEqual([]);
  // No flush met a deadlock.
  expect(errors).toEqual([]);
});
