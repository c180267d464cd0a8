/**
 * Who: nobody with bad intent: a charge that comes out of a journal after its month, and an operator who changes the unit.
 * What must hold: a statement that was issued does not change in any form; what is late is in the next one and names its day.
 */
import { afterAll, beforeAll, expect, test } from "vitest";
import { ledgerEntries, options, users } from "@/db/schema";
import { postLedgerEntry } from "@/lib/billing/ledger";
import type { ServiceContext } from "@/lib/context";
import { createBilledToken, createBilledUser, settlementOf, startBillingProcess } from "@/lib/testing/billing";
import { createTestDatabase, type TestDatabase } from "@/lib/testing/database";
import { exportMonthStatement } from "@/lib/topup/export-month-statement";
import { closeLastMonth } from "@/lib/topup/issued-statement-commands";
import { listStatementMonths, readMonthStatement } from "@/lib/topup/month-statement-queries";
import type { StatementWording } from "@/lib/topup/statement-wording";
import { eraseUser } from "@/lib/user/erase-commands";

const at = (text: string) => Date.parse(text) / 1_000;
const wording: StatementWording = {
  issuer: ["Weir"],
  taxLine: "",
  text: (key) => key,
  kindOf: (kind) => kind,
  together: (count) => `${count} entries`,
  lateOf: (day) => `for ${day}`,
  period: (from, until) => `${from} to ${until}`,
  pageOf: (page, pages) => `${page}/${pages}`,
};

let database: TestDatabase;
let userId: number;
let charge: (createdAt: string, quota: number) => Promise<void>;
let stop: () => Promise<void>;

const contextOf = (id: number, role: number): ServiceContext => ({
  ...database,
  actor: { type: "user", id, username: `u${id}`, role, group: "default", via: "session" },
  clientIp: "",
});

beforeAll(async () => {
  database = await createTestDatabase();
  userId = await createBilledUser(database, 0);
  await database.db.update(users).set({ username: "alice", displayName: "Alice", email: "alice@example.com" });
  const tokenId = await createBilledToken(database, userId, null);
  const gateway = await startBillingProcess(database.url);
  stop = () => gateway.stop();
  charge = (createdAt, quota) =>
    gateway.settler.settle(settlementOf({ userId, tokenId, createdAt: at(createdAt), quota }));
  const credit = {
    userId,
    kind: "topup",
    amount: 10_000_000,
    reference: "topup:1",
    createdAt: at("2026-01-10T00:00:00Z"),
  };
  await database.db.insert(ledgerEntries).values(credit);
  await database.sql`update users set quota = quota + 10000000`;
  await charge("2026-01-15T10:00:00Z", 1_000_000);
  await charge("2026-02-15T10:00:00Z", 4_000_000);
  await charge("2026-03-15T10:00:00Z", 500_000);
});
afterAll(async () => {
  await stop();
  await database.drop();
});

/** What each reader gets, in each form. */
async function everyForm(month: string): Promise<unknown> {
  const readers = [
    { ctx: contextOf(userId, 1), input: { month } },
    { ctx: contextOf(999, 100), input: { month, userId } },
  ];
  return Promise.all(
    readers.map(async ({ ctx, input }) => {
      const statement = await readMonthStatement(ctx, input);
      const csv = await exportMonthStatement(ctx, statement, wording, "csv");
      const pdf = await exportMonthStatement(ctx, statement, wording, "pdf");
      const pdfBytes = Buffer.from(await new Response(pdf.body).arrayBuffer()).toString("base64");
      return { statement, csv: await new Response(csv.body).text(), pdfBytes };
    }),
  );
}

test("an issued statement stays as it is, in every form and for every reader, whatever comes later", async () => {
  const before = await everyForm("2026-02");
  expect(before).toMatchObject([
    { statement: { isComplete: true, opening: 9_000_000, chargeSum: 4_000_000, closing: 5_000_000, late: [] } },
    { statement: { closing: 5_000_000 } },
  ]);
  await charge("2026-02-28T23:59:59Z", 123_456);
  await charge("2026-01-31T23:59:59Z", 44);
  await postLedgerEntry(database.db, { userId, kind: "adjustment", amount: 7, reference: "late", actorId: null });
  for (const [key, value] of [
    ["QuotaPerUnit", "1000000"],
    ["CurrencySymbol", "EUR"],
    ["DisplayInCurrencyEnabled", "false"],
  ] as const) {
    await database.db.insert(options).values({ key, value });
  }
  await database.db.update(users).set({ username: "bob", displayName: "Bob", email: "bob@example.com" });
  expect(await everyForm("2026-02")).toEqual(before);
});

test("what was booked late is in the next statement and names its days, and balances go on without a gap", async () => {
  const march = await readMonthStatement(contextOf(userId, 1), { month: "2026-03" });
  expect(march).toMatchObject({
    opening: 5_000_000,
    chargeSum: 500_000,
    late: [
      { day: at("2026-01-31T00:00:00Z"), count: 1, tokens: 7, amount: -44 },
      { day: at("2026-02-28T00:00:00Z"), count: 1, tokens: 7, amount: -123_456 },
    ],
    lateSum: -123_500,
    closing: 4_376_500,
  });
  const { body } = await exportMonthStatement(contextOf(userId, 1), march, wording, "csv");
  const csv = await new Response(body).text();
  expect(csv).toContain("late,for 2026-02-28,1,7,");
  const months = (await listStatementMonths(contextOf(userId, 1))).reverse();
  let closing = 0;
  for (const month of months) {
    const statement = await readMonthStatement(contextOf(userId, 1), { month });
    expect([month, statement.opening]).toEqual([month, closing]);
    closing = statement.closing;
  }
  const [user] = await database.sql<{ quota: number }[]>`select quota from users where id = ${userId}`;
  expect(closing).toBe(user?.quota);
});

test("late once is late once: a later statement does not have it again, but what came since", async () => {
  await charge("2026-02-28T23:00:00Z", 5);
  const latest = (await listStatementMonths(contextOf(userId, 1)))[0] ?? "";
  const { late } = await readMonthStatement(contextOf(userId, 1), { month: latest });
  expect(late).toEqual([{ day: at("2026-02-28T00:00:00Z"), count: 1, tokens: 7, amount: -5 }]);
});

test("two who ask for the first time at once get the same statement", async () => {
  const carol = await createBilledUser(database, 0);
  const credit = {
    userId: carol,
    kind: "topup",
    amount: 9,
    reference: "topup:2",
    createdAt: at("2025-06-10T00:00:00Z"),
  };
  await database.db.insert(ledgerEntries).values(credit);
  const read = () => readMonthStatement(contextOf(carol, 1), { month: "2025-08" });
  const [one, ...others] = await Promise.all([read(), read(), read()]);
  expect(one).toMatchObject({ opening: 9, closing: 9 });
  for (const other of others) expect(other).toEqual(one);
});

test("many who ask for the first time at once get the same statement also where the units are noted already", async () => {
  const months = ["2024-11", "2024-12"];
  for (const month of months)
    await database.sql`insert into statement_units (month, in_currency, quota_per_unit, symbol) values (${month}, true, 500000, '$')`;
  const accounts = await Promise.all(
    Array.from({ length: 5 }, async (_, number) => {
      const id = await createBilledUser(database, 0);
      const credit = { userId: id, kind: "topup", amount: 9, createdAt: at("2024-11-10T00:00:00Z") };
      await database.db.insert(ledgerEntries).values({ ...credit, reference: `topup:many:${number}` });
      return id;
    }),
  );
  for (const id of accounts) {
    const read = () => readMonthStatement(contextOf(id, 1), { month: "2024-12" });
    const [one, ...others] = await Promise.all(Array.from({ length: 6 }, read));
    expect(one).toMatchObject({ opening: 9, closing: 9 });
    for (const other of others) expect(other).toEqual(one);
  }
});

test("the unit of a month is noted when it ends, before anybody asks for a statement", async () => {
  const other = await createTestDatabase();
  try {
    const last = new Date();
    last.setUTCDate(0);
    const month = last.toISOString().slice(0, 7);
    expect(await closeLastMonth(other.sql)).toBe(`${month} is closed`);
    await other.db.insert(options).values({ key: "QuotaPerUnit", value: "7" });
    expect(await closeLastMonth(other.sql)).toBe("nothing");
    const dave = await createBilledUser(other, 0);
    const createdAt = at(`${month}-01T00:00:00Z`);
    await other.db
      .insert(ledgerEntries)
      .values({ userId: dave, kind: "topup", amount: 9, reference: "topup:3", createdAt });
    const { isComplete, display } = await readMonthStatement({ ...contextOf(dave, 1), ...other }, { month });
    // In the first hour of a month the one before is not closed yet.
    expect(display.quotaPerUnit).toBe(isComplete ? 500_000 : 7);
  } finally {
    await other.drop();
  }
});

test("an account that is erased leaves its sums without its names", async () => {
  await eraseUser(contextOf(999, 100), userId);
  const statement = await readMonthStatement(contextOf(999, 100), { month: "2026-02", userId });
  expect(statement.user).toMatchObject({ id: userId, displayName: "", email: "" });
  expect(JSON.stringify(statement)).not.toMatch(/alice|bob/i);
  expect(statement.closing).toBe(5_000_000);
});

test("an issued statement cannot be changed in the database", async () => {
  const { sql } = database;
  await expect(sql`update month_statements set document = '{}'`).rejects.toThrow("append-only");
  await expect(sql`delete from month_statements`).rejects.toThrow("append-only");
  await expect(sql`update statement_units set quota_per_unit = 1`).rejects.toThrow("append-only");
});
