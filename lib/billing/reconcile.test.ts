import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  createBilledChannel,
  createBilledToken,
  createBilledUser,
  settlementOf,
  startBillingProcess,
} from "@/lib/testing/billing";
import { createTestDatabase, type TestDatabase } from "@/lib/testing/database";
import { postLedgerEntry } from "./ledger";
import { reconcile } from "./reconcile";

let database: TestDatabase;
let ids: { userId: number; tokenId: number; channelId: number };

beforeAll(async () => {
  database = await createTestDatabase();
  const userId = await createBilledUser(database, 1_000);
  const tokenId = await createBilledToken(database, userId, null);
  ids = { userId, tokenId, channelId: await createBilledChannel(database) };
  const gateway = await startBillingProcess(database.url);
  await gateway.settler.settle(settlementOf({ ...ids, quota: 40 }));
  await gateway.stop();
});
afterAll(() => database.drop());

describe("reconcile", () => {
  test("finds nothing where everything was booked, and says what it looked at", async () => {
    const { checked, differences } = await reconcile(database.sql);
    expect(differences).toEqual([]);
    expect(checked).toMatchObject({ "users.quota": 1, "tokens.used_quota": 1, "channels.used_quota": 1 });
  });

  test.each([
    ["users.quota", "update users set quota = quota + 7"],
    ["users.used_quota", "update users set used_quota = used_quota + 7"],
    ["users.request_count", "update users set request_count = request_count + 7"],
    ["users.reserved", "update users set reserved = reserved + 7"],
    ["tokens.used_quota", "update tokens set used_quota = used_quota + 7"],
    ["tokens.reserved", "update tokens set reserved = reserved + 7"],
    ["channels.used_quota", "update channels set used_quota = used_quota + 7"],
  ])("finds an injected difference in %s", async (check, statement) => {
    await database.sql
      .begin(async (tx) => {
        await tx.unsafe(statement);
        const { differences } = await reconcile({
          begin: (_: string, run: (sql: typeof tx) => unknown) => run(tx),
        } as never);
        expect(differences).toHaveLength(1);
        expect(differences[0]).toMatchObject({ check, stored: (differences[0]?.computed ?? 0) + 7 });
        throw new Error("roll back");
      })
      .catch((error) => expect(error.message).toBe("roll back"));
  });

  test("an entry of the ledger that did not reach the balance is a difference", async () => {
    const userId = await createBilledUser(database, 500);
    await database.sql`update users set quota = 400 where id = ${userId}`;
    expect((await reconcile(database.sql)).differences).toEqual([
      { check: "users.quota", id: userId, stored: 400, computed: 500 },
    ]);
    await database.sql`update users set quota = 500 where id = ${userId}`;
  });
});

describe("ledger", () => {
  test("the same reference is posted once, and the second try leaves the caller's transaction usable", async () => {
    const userId = await createBilledUser(database, 0);
    const entry = { userId, amount: 5, kind: "grant", reference: `grant:${randomUUID()}`, actorId: null } as const;
    await postLedgerEntry(database.db, entry);
    await database.db.transaction(async (tx) => {
      await expect(postLedgerEntry(tx, entry)).rejects.toThrow("conflict: ledgerReferenceTaken");
      await postLedgerEntry(tx, { ...entry, reference: `grant:${randomUUID()}` });
    });
    const [user] = await database.sql`select quota from users where id = ${userId}`;
    expect(user).toEqual({ quota: 10 });
  });

  test("an entry and its balance are rolled back together", async () => {
    const userId = await createBilledUser(database, 0);
    const entry = { userId, amount: 5, kind: "grant", reference: `test:${randomUUID()}`, actorId: null } as const;
    await database.db
      .transaction(async (tx) => {
        await postLedgerEntry(tx, entry);
        throw new Error("changed my mind");
      })
      .catch(() => {});
    expect(await database.sql`select quota from users where id = ${userId}`).toEqual([{ quota: 0 }]);
    expect((await reconcile(database.sql)).differences).toEqual([]);
  });

  test.each([0.5, Number.NaN, 2 ** 60])("an amount that is no whole number is refused: %s", async (amount) => {
    const entry = { userId: ids.userId, amount, kind: "grant", reference: "never", actorId: null } as const;
    await expect(postLedgerEntry(database.db, entry)).rejects.toThrow(RangeError);
  });
});
