/**
 * Who: whoever can write one table of the books without the others: a fault, a restored backup, a hand in the database.
 * With what: rows that are changed, added or removed in one place only. What must hold: the check that runs by itself
 * every night finds each of them, says where, keeps its result and alerts root; clearing the log raises no false alarm.
 */
import { beforeAll, describe, expect, test } from "vitest";
import { ledgerEntries, notifications, redemptions, topUps } from "@/db/schema";
import { postLedgerEntry } from "@/lib/billing/ledger";
import { consoleDatabase } from "@/lib/console-database";
import type { ServiceContext } from "@/lib/context";
import { jobs } from "@/lib/jobs/registry";
import {
  createBilledChannel,
  createBilledToken,
  createBilledUser,
  settlementOf,
  startBillingProcess,
} from "@/lib/testing/billing";
import { rewriteBooks } from "@/lib/testing/rewrite-books";
import { deleteLogs } from "@/lib/usage-log/commands";
import { setUpApi } from "../api/harness";

const api = setUpApi();
const HOUR = 3_600;
const hourAgo = (hours: number) => (Math.floor(Date.now() / 1000 / HOUR) - hours) * HOUR + 5;
let userId: number;

const attempts = (channelId: number) => ({
  model_ratio: 1,
  admin_info: {
    use_channel: [],
    attempts: [
      { channel: channelId + 1, start_ms: 0, ms: 1, outcome: "failed" },
      { channel: channelId, start_ms: 1, ms: 1, outcome: "ok" },
    ],
  },
});

beforeAll(async () => {
  const { database } = api;
  userId = await createBilledUser(database, 100_000);
  const tokenId = await createBilledToken(database, userId, 50_000);
  const channelId = await createBilledChannel(database);
  const gateway = await startBillingProcess(database.url);
  for (const hours of [30, 5, 4, 3]) {
    const where = { userId, tokenId, channelId, createdAt: hourAgo(hours) };
    await gateway.settler.settle(settlementOf({ ...where, quota: 100, other: attempts(channelId) }));
    await gateway.settler.settle(settlementOf({ ...where, quota: 50, hidden: true }));
  }
  await gateway.stop();
  const order = { userId, amount: 1, money: 7, quota: 300, tradeNo: "paid", status: "success", provider: "epay" };
  await database.db.insert(topUps).values(order);
  await database.db
    .insert(redemptions)
    .values({ userId, key: "code", name: "c", quota: 40, status: 3, usedUserId: userId });
  const entry = { userId, actorId: null } as const;
  await postLedgerEntry(database.db, { ...entry, amount: 300, kind: "topup", reference: "topup:paid" });
  await postLedgerEntry(database.db, { ...entry, amount: 40, kind: "redemption", reference: "redemption:1" });
});

const job = () => jobs.find(({ id }) => id === "books");
type Run = { differences: { check: string; id: number; detail?: string }[]; difference_count: number; checked: object };

/** Makes the check due again and runs it as the worker does. */
async function check(): Promise<Run> {
  const { sql } = api.database;
  await sql`update reconcile_runs set started_at = 0`;
  await job()?.run(sql);
  const [run] = await sql<Run[]>`select * from reconcile_runs order by id desc limit 1`;
  if (!run) throw new Error("no run");
  return run;
}

/** Runs with a change in place, and takes it back. */
async function checkWith(change: string, undo: string): Promise<Run["differences"]> {
  const { sql } = api.database;
  await rewriteBooks(sql, change);
  await sql`delete from job_positions where job = 'books-hours'`;
  const { differences } = await check();
  await rewriteBooks(sql, undo);
  return differences;
}

test("books that agree are found to agree, with all that was looked at", async () => {
  const { differences, checked } = await check();
  expect(differences).toEqual([]);
  expect(checked).toMatchObject({
    "users.quota": 5,
    "tokens.remain_quota": 1,
    "top_ups.quota": 1,
    "redemptions.quota": 1,
    "usage_logs.quota": 4,
    "usage_logs.attempts": 4,
  });
});

describe("found is", () => {
  const shift = "created_at = (select max(created_at) from usage_logs)";
  test.each([
    [
      "a charge missing from the hourly sums",
      "usage_logs.quota",
      `update usage_logs set quota = quota + 1 where ${shift}`,
      `update usage_logs set quota = quota - 1 where ${shift}`,
    ],
    [
      "a charge booked to another user",
      "usage_logs.quota",
      `update usage_logs set user_id = user_id + 1 where ${shift}`,
      `update usage_logs set user_id = user_id - 1 where ${shift}`,
    ],
    [
      "a request counted that left no log",
      "usage_logs.quota",
      "update usage_hourly set count = count + 1",
      "update usage_hourly set count = count - 1",
    ],
    [
      "a charge that no attempt delivered",
      "usage_logs.attempts",
      `update usage_logs set channel_id = channel_id`,
      "select 1",
    ],
    [
      "a charge delivered by another channel than the log names",
      "usage_logs.attempts",
      `update usage_logs set other = jsonb_set(other, '{admin_info,attempts,1,channel}', '999') where not hidden`,
      `update usage_logs set other = jsonb_set(other, '{admin_info,attempts,1,channel}', to_jsonb(channel_id))
        where not hidden`,
    ],
    [
      "a paid order that was never credited",
      "top_ups.quota",
      "insert into top_ups (user_id, amount, money, trade_no, status, quota) values (1, 1, 1, 'lost', 'success', 5)",
      "delete from top_ups where trade_no = 'lost'",
    ],
    [
      "a credit without a paid order",
      "top_ups.quota",
      "update top_ups set status = 'pending' where trade_no = 'paid'",
      "update top_ups set status = 'success' where trade_no = 'paid'",
    ],
    [
      "a credit to another than the buyer",
      "top_ups.quota",
      "update top_ups set user_id = user_id + 1 where trade_no = 'paid'",
      "update top_ups set user_id = user_id - 1 where trade_no = 'paid'",
    ],
    [
      "a refund that was never booked",
      "top_ups.reversed_quota",
      "update top_ups set reversed_quota = 9 where trade_no = 'paid'",
      "update top_ups set reversed_quota = 0 where trade_no = 'paid'",
    ],
    [
      "a used code that credited another sum",
      "redemptions.quota",
      "update redemptions set quota = 41",
      "update redemptions set quota = 40",
    ],
    [
      "a code credited and unused again",
      "redemptions.quota",
      "update redemptions set status = 1",
      "update redemptions set status = 3",
    ],
  ])("%s", async (what, expected, change, undo) => {
    const delivered = what.startsWith("a charge that no attempt");
    const toFailed = `update usage_logs set other = replace(other::text, '"ok"', '"refused"')::jsonb where not hidden`;
    const toOk = `update usage_logs set other = replace(other::text, '"refused"', '"ok"')::jsonb where not hidden`;
    const differences = delivered ? await checkWith(toFailed, toOk) : await checkWith(change, undo);
    expect(new Set(differences.map(({ check: name }) => name))).toContain(expected);
    expect(differences[0]).toMatchObject({ id: expect.any(Number) });
  });
});

test("a difference alerts root, is looked at again the next night, and the result is kept", async () => {
  const { sql, db } = api.database;
  await sql`update usage_hourly set quota = quota + 3 where hour = ${hourAgo(30) - 5}`;
  await sql`delete from job_positions where job = 'books-hours'`;
  const first = await check();
  expect(first.differences).toContainEqual(expect.objectContaining({ check: "usage_logs.quota", id: hourAgo(30) - 5 }));
  const second = await check();
  expect(second.differences).toContainEqual(
    expect.objectContaining({ check: "usage_logs.quota", id: hourAgo(30) - 5 }),
  );
  await sql`update usage_hourly set quota = quota - 3 where hour = ${hourAgo(30) - 5}`;
  const told = (await db.select().from(notifications)).filter(({ event }) => event === "books_differ");
  expect(new Set(told.map((row) => row.userId))).toEqual(new Set([api.root.id]));
  expect((await check()).differences).toEqual([]);
});

test("the check runs once a night, whichever machine is first", async () => {
  const { sql } = api.database;
  await check();
  expect(await job()?.run(sql)).toBe("not due");
});

test("clearing the log is no difference, and what is left of it is still compared", async () => {
  const { db, sql } = api.database;
  const actor = {
    type: "user",
    id: api.root.id,
    username: "root",
    role: 100,
    group: "default",
    via: "session",
  } as const;
  const ctx: ServiceContext = { db: consoleDatabase().db, sql: consoleDatabase().sql, actor, clientIp: "" };
  await deleteLogs(ctx, hourAgo(4) + 60);
  await sql`delete from job_positions where job = 'books-hours'`;
  const { differences, checked } = await check();
  expect(differences).toEqual([]);
  expect(checked).toMatchObject({ "usage_logs.quota": 1 });
  expect((await db.select().from(ledgerEntries)).length).toBeGreaterThan(0);
});
