// Charges of more than two days ago are known only to ClickHouse: whoever would book them again asks it first.

import { randomUUID } from "node:crypto";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { makeBackup } from "@/lib/backup/make-backup";
import { verifyBackup } from "@/lib/backup/read-backup";
import { restoreDatabase } from "@/lib/backup/restore-commands";
import { createJournal } from "@/lib/billing/journal";
import { openJournalFolder } from "@/lib/billing/journal-folder";
import { describeOwner } from "@/lib/billing/journal-owner";
import { readDatabaseId } from "@/lib/billing/journal-queries";
import { keepRefused, retryRefused } from "@/lib/billing/refused-commands";
import { bookSettlements, createSettlementStore } from "@/lib/billing/settlement-batch";
import { encodeSettlement, parseSettlementRow, type SettlementRow } from "@/lib/billing/settlement-row";
import { nowSeconds } from "@/lib/clock";
import { createLogStore } from "@/lib/log-store/clickhouse/client";
import { migrateLogStore } from "@/lib/log-store/clickhouse/migrations";
import { parseLogStoreUrl } from "@/lib/log-store/config";
import { createShipper } from "@/lib/log-store/ship";
import { logStore } from "@/lib/log-store/store";
import { createBilledUser, settlementOf } from "@/lib/testing/billing";
import { createTestDatabase, type TestDatabase } from "@/lib/testing/database";
import { createRunFolder } from "@/lib/testing/run-folder";
import { until } from "@/lib/testing/until";
import { type OwnClickHouse, startOwnClickHouse } from "./own-clickhouse";

const DAY = 86_400;
const folder = createRunFolder("log-store-old-charges");

let database: TestDatabase;
let clickhouse: OwnClickHouse;
let userId: number;

beforeAll(async () => {
  [database, clickhouse] = await Promise.all([createTestDatabase(), startOwnClickHouse(join(folder, "store"))]);
  process.env.LOG_STORE_URL = clickhouse.url;
  const store = createLogStore(parseLogStoreUrl(clickhouse.url));
  await migrateLogStore(store);
  await store.end();
});
beforeEach(async () => {
  userId = await createBilledUser(database, 1_000_000);
});
afterAll(async () => {
  await logStore()?.end();
  await clickhouse?.stop();
  await database?.drop();
  rmSync(folder, { recursive: true, force: true });
});

const charge = (days: number): SettlementRow => {
  const createdAt = nowSeconds() - days * DAY;
  const { json } = encodeSettlement(settlementOf({ userId, quota: 3, requestId: randomUUID(), createdAt }));
  const row = parseSettlementRow(json);
  if (!row) throw new Error("no row");
  return row;
};

/** A charge whose only trace outside the books is its row in ClickHouse. */
async function bookedLongAgo(): Promise<SettlementRow> {
  const row = charge(5);
  await bookSettlements(database.sql, null, [row]);
  const store = createLogStore(parseLogStoreUrl(clickhouse.url));
  expect(await createShipper({ sql: database.sql, store })()).toMatchObject({ failure: null });
  await store.end();
  await database.sql`truncate settled_requests`;
  return row;
}

const used = async ({ sql } = database) =>
  (await sql<{ used: number }[]>`select used_quota::int as used from users where id = ${userId}`)[0]?.used;

const comesBack = async () => {
  await clickhouse.servers[0]?.startAgain();
  await until(
    () =>
      logStore()
        ?.query("select 1 from usage_logs limit 1")
        .then(
          () => true,
          () => false,
        ) ?? false,
    120_000,
  );
};

describe("a charge that PostgreSQL refused", () => {
  const retry = () => retryRefused(database.sql, createSettlementStore(database.sql));
  const refuse = (row: SettlementRow) => keepRefused(database.sql, row, { code: "23514", message: "no" });
  const kept = () => database.sql`select request_id from refused_settlements where user_id = ${userId}`;

  test("is booked once, also if it was booked so long ago that only ClickHouse knows it", async () => {
    await refuse(await bookedLongAgo());
    await refuse(charge(5));
    await refuse(charge(0));
    expect(await retry()).toEqual({ booked: 3, refused: 0 });
    expect([await used(), await kept()]).toEqual([9, []]);
  });

  test("waits while ClickHouse is away, if it is older than two days; younger ones do not ask", async () => {
    await refuse(await bookedLongAgo());
    await clickhouse.servers[0]?.kill();
    await expect(retry()).rejects.toMatchObject({ code: "unavailable", messageKey: "oldChargesUnknown" });
    expect([await used(), (await kept()).length]).toEqual([3, 1]);
    await comesBack();
    expect(await retry()).toEqual({ booked: 1, refused: 0 });
    await clickhouse.servers[0]?.kill();
    await refuse(charge(1));
    expect(await retry()).toEqual({ booked: 1, refused: 0 });
    expect([await used(), await kept()]).toEqual([6, []]);
    await comesBack();
  });
});

describe("a journal in a backup", () => {
  let journal = 0;

  async function backUp(rows: SettlementRow[], url = clickhouse.url): Promise<string> {
    const journalDirectory = join(folder, `journal${++journal}`);
    const owner = describeOwner(await readDatabaseId(database.sql));
    const written = createJournal({ folder: openJournalFolder(journalDirectory), nodeId: randomUUID(), owner });
    for (const row of rows) written.add(row);
    await written.sync();
    const path = join(folder, `${journal}.backup`);
    process.env.LOG_STORE_URL = url;
    try {
      const terms = { url: database.url, path, journalDirectory, passphrase: null, hasSecret: false, hasLogs: true };
      await makeBackup(terms);
    } finally {
      process.env.LOG_STORE_URL = clickhouse.url;
      await written.close();
    }
    return path;
  }

  /** Resolves to what the user has used in the restored database. */
  async function restore(path: string): Promise<number | undefined> {
    const target = await createTestDatabase();
    try {
      const backup = await verifyBackup(path, async () => "");
      const { url } = target;
      await restoreDatabase({ url, parts: backup.parts(), replaces: true, beforeCommit: async () => {} });
      return await used(target);
    } finally {
      await target.drop();
    }
  }

  test("is booked at a restore as far as it was not booked before, whether the backup could ask ClickHouse or the restore does", async () => {
    const rows = [await bookedLongAgo(), charge(5), charge(0)];
    expect(await restore(await backUp(rows))).toBe(9);
    expect(await restore(await backUp(rows, ""))).toBe(9);
  });

  test("is booked at a restore although ClickHouse has it, if it was booked after the backup: the restored books lack it", async () => {
    const row = charge(5);
    const path = await backUp([row]);
    await bookSettlements(database.sql, null, [row]);
    const store = createLogStore(parseLogStoreUrl(clickhouse.url));
    await createShipper({ sql: database.sql, store })();
    await store.end();
    expect(await restore(path)).toBe(3);
  });

  test("stops backup and restore while ClickHouse is away and one of its charges is older than two days", async () => {
    const rows = [await bookedLongAgo()];
    const path = await backUp(rows, "");
    await clickhouse.servers[0]?.kill();
    await expect(backUp(rows)).rejects.toThrow("no backup was made");
    await expect(restore(path)).rejects.toThrow("Nothing was changed");
    expect(await restore(await backUp([charge(0)]))).toBe(6);
    await comesBack();
  });
});
