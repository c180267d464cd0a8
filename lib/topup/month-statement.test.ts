// A month's statement closes exactly with the ledger, belongs to its account alone, and is a bounded document.
import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { ledgerEntries, usageHourly, users } from "@/db/schema";
import type { ServiceContext } from "@/lib/context";
import { createBilledUser } from "@/lib/testing/billing";
import { createTestDatabase, type TestDatabase } from "@/lib/testing/database";
import { countPdf, exportMonthStatement, PDFS_PER_MINUTE } from "./export-month-statement";
import { listStatementMonths, readMonthStatement } from "./month-statement-queries";
import { STATEMENT_LINES_MAX } from "./month-statement-types";
import { renderStatementPdf } from "./statement-pdf";
import type { StatementWording } from "./statement-wording";

const HOUR = 3_600;
const at = (text: string) => Date.parse(text) / 1_000;
const now = Math.floor(Date.now() / 1_000);
const thisMonth = new Date().toISOString().slice(0, 7);

let database: TestDatabase;
let alice: number;
const contextOf = (id: number, role: number): ServiceContext => ({
  ...database,
  actor: { type: "user", id, username: `u${id}`, role, group: "default", via: "session" },
  clientIp: "",
});

const wording: StatementWording = {
  issuer: ["河流有限公司", "1 Weir Road"],
  taxLine: "VAT 123",
  text: (key) => `对账 ${key}`,
  kindOf: (kind) => kind,
  together: (count) => `${count} entries`,
  lateOf: (day) => `late, of ${day}`,
  period: (from, until) => `${from} – ${until}`,
  pageOf: (page, pages) => `${page}/${pages}`,
};

const credit = (createdAt: string, amount: number, kind = "topup") => ({
  userId: alice,
  amount,
  kind,
  reference: randomUUID(),
  actorId: null,
  note: "order 7",
  createdAt: at(createdAt),
});
const usage = (hour: string, quota: number, modelName: string, tokenId = 1) => ({
  hour: at(hour),
  userId: alice,
  tokenId,
  channelId: 1,
  modelName,
  group: "g",
  count: 2,
  quota,
  promptTokens: 10,
  completionTokens: 5,
});

beforeAll(async () => {
  database = await createTestDatabase();
  alice = await createBilledUser(database, 0);
  const { db } = database;
  await db
    .insert(ledgerEntries)
    .values([
      credit("2026-01-05T10:00:00Z", 2_000_000, "grant"),
      credit("2026-01-31T23:59:59Z", 500_000),
      credit("2026-02-01T00:00:00Z", 1_000_001, "redemption"),
      { ...credit("2026-02-28T23:59:59Z", -300_000, "adjustment"), note: "=1+1" },
      credit("2026-03-01T00:00:00Z", 7, "transfer"),
    ]);
  await db
    .insert(usageHourly)
    .values([
      usage("2026-01-31T23:00:00Z", 450_000, "gpt-4o"),
      usage("2026-02-01T00:00:00Z", 123_456, "gpt-4o"),
      usage("2026-02-15T11:00:00Z", 11, "o3"),
      usage("2026-02-28T23:00:00Z", 1_000, "gpt-4o", 2),
      usage("2026-03-01T00:00:00Z", 99, "gpt-4o"),
    ]);
  await database.sql`
    update users set quota = (select sum(amount) from ledger_entries where user_id = ${alice})
      - (select sum(quota) from usage_hourly where user_id = ${alice}) where id = ${alice}`;
});
afterAll(() => database.drop());

describe("a month's statement", () => {
  test("begins and ends at midnight UTC and adds up to the unit", async () => {
    const statement = await readMonthStatement(contextOf(alice, 1), { month: "2026-02" });
    expect(statement).toMatchObject({
      number: `ST-202602-${alice}`,
      isComplete: true,
      opening: 2_050_000,
      creditSum: 700_001,
      chargeSum: 124_467,
      closing: 2_625_534,
    });
    expect(statement.credits.map(({ kind, amount }) => [kind, amount])).toEqual([
      ["redemption", 1_000_001],
      ["adjustment", -300_000],
    ]);
    expect(statement.charges).toEqual([
      { model: "gpt-4o", count: 4, tokens: 30, amount: 124_456 },
      { model: "o3", count: 2, tokens: 15, amount: 11 },
    ]);
  });

  test("opens with what the month before closed with, in every month, up to the balance of today", async () => {
    const months = (await listStatementMonths(contextOf(alice, 1))).reverse();
    expect([months[0], months.at(-1)]).toEqual(["2026-01", thisMonth]);
    let before = 0;
    for (const month of months) {
      const { opening, closing } = await readMonthStatement(contextOf(alice, 1), { month });
      expect(opening, month).toBe(before);
      before = closing;
    }
    const [user] = await database.sql<{ quota: number }[]>`select quota from users where id = ${alice}`;
    expect(before).toBe(user?.quota);
  });

  test("of the running month ends now, and one that has not begun is refused", async () => {
    const { isComplete, until } = await readMonthStatement(contextOf(alice, 1), { month: thisMonth });
    expect([isComplete, until >= now]).toEqual([false, true]);
    const next = new Date(Date.now() + 40 * 24 * HOUR * 1_000).toISOString().slice(0, 7);
    await expect(readMonthStatement(contextOf(alice, 1), { month: next })).rejects.toMatchObject({
      messageKey: "statementMonthAhead",
    });
    for (const month of ["", "2026-13", "2026-2", "1999-01", "2026-02-01", "x"])
      await expect(readMonthStatement(contextOf(alice, 1), { month })).rejects.toMatchObject({
        messageKey: "statementMonthInvalid",
      });
  });

  test("has its lines bounded: many credits are summed by kind, many models into one line", async () => {
    const bob = await createBilledUser(database, 0);
    const many = STATEMENT_LINES_MAX + 20;
    const credits = Array.from({ length: many }, () => ({ ...credit("2026-02-03T00:00:00Z", 1_000), userId: bob }));
    const charges = Array.from({ length: many }, (_, i) => ({
      ...usage("2026-02-04T00:00:00Z", 1 + i, `m${i}`),
      userId: bob,
    }));
    await database.db.insert(ledgerEntries).values(credits);
    await database.db.insert(usageHourly).values(charges);
    const statement = await readMonthStatement(contextOf(bob, 1), { month: "2026-02" });
    expect(statement.credits).toEqual([
      { at: null, kind: "topup", reference: "", note: "", count: many, amount: many * 1_000 },
    ]);
    expect(statement.charges).toHaveLength(STATEMENT_LINES_MAX + 1);
    expect(statement.charges.at(-1)).toMatchObject({ model: null, amount: (20 * 21) / 2 });
    expect(statement.closing).toBe(many * 1_000 - (many * (many + 1)) / 2);
  });
});

describe("whose statement it is", () => {
  test("a user gets no other's, an administrator those of lower roles only (attack)", async () => {
    const admin = await createBilledUser(database, 0);
    const peer = await createBilledUser(database, 0);
    await database.sql`update users set role = 10 where id in (${admin}, ${peer})`;
    const month = "2026-02";
    const read = (by: number, role: number, userId: number) =>
      Promise.all([
        readMonthStatement(contextOf(by, role), { month, userId }),
        listStatementMonths(contextOf(by, role), userId),
      ]);
    await expect(read(peer, 1, alice)).rejects.toMatchObject({ code: "forbidden" });
    await expect(read(admin, 10, peer)).rejects.toMatchObject({ code: "forbidden" });
    const [statement] = await read(admin, 10, alice);
    expect(statement.user.id).toBe(alice);
    await expect(read(admin, 100, 2_000_000_000)).rejects.toMatchObject({ code: "not_found" });
  });
});

describe("its files", () => {
  test("the lines of the CSV add up to its last one; a note that a spreadsheet would run is text", async () => {
    const statement = await readMonthStatement(contextOf(alice, 1), { month: "2026-02" });
    const { body } = await exportMonthStatement(contextOf(alice, 1), statement, wording, "csv");
    const [head = "", ...lines] = (await new Response(body).text()).replace("\uFEFF", "").trim().split("\r\n");
    expect(head).toContain("对账 amount (￥)");
    const amounts = lines.map((line) => Math.round(Number(line.split(",").at(-1)) * 500_000));
    expect(amounts.slice(0, -1).reduce((sum, amount) => sum + amount, 0)).toBe(amounts.at(-1));
    expect(amounts.at(-1)).toBe(statement.closing);
    expect(lines.join("\n")).toContain(",'=1+1,");
    // The unit has six decimals, and one amount needs them.
    expect(lines.map((line) => line.split(",").at(-1)?.split(".")[1]?.length)).toEqual(lines.map(() => 6));
  });

  test("more PDFs a minute than an account may have are refused, and its CSV is not (attack)", async () => {
    const ctx = contextOf(alice, 1);
    const statement = await readMonthStatement(ctx, { month: "2026-02" });
    for (let i = 0; i < PDFS_PER_MINUTE; i++) countPdf(alice);
    await expect(exportMonthStatement(ctx, statement, wording, "pdf")).rejects.toMatchObject({ code: "rate_limited" });
    expect((await exportMonthStatement(ctx, statement, wording, "csv")).contentType).toContain("csv");
  });

  test("the PDF embeds the characters that it uses, has any name, and stays small with a thousand lines", async () => {
    await database.db.update(users).set({ displayName: "渠道 Ωmega 🦦" });
    const statement = await readMonthStatement(contextOf(alice, 1), { month: "2026-02" });
    const long = {
      ...statement,
      charges: Array.from({ length: 1_000 }, (_, i) => ({ model: `模型-${i}`, count: i, tokens: i, amount: i })),
    };
    for (const [document, bytesMax] of [
      [statement, 60_000],
      [long, 400_000],
    ] as const) {
      const bytes = await renderStatementPdf(document, wording);
      expect(bytes.subarray(0, 5).toString()).toBe("%PDF-");
      expect(bytes.toString("latin1")).toMatch(/\/FontFile3/);
      expect(bytes.length).toBeLessThan(bytesMax);
    }
  });
});
