import type { TransactionSql } from "postgres";
import { databaseOf, type Sql } from "@/db/client";
import { displayOf, type QuotaDisplay } from "@/lib/money/display";
import { loadOptions } from "@/lib/option/queries";
import type { MonthStatement } from "./month-statement-types";
import type { DayTotals, IssuedDays } from "./statement-chain";

type Names = Omit<MonthStatement["user"], "id">;
type Document = Omit<MonthStatement, "user" | "display">;
/** A day as a list, because an account has many. */
type StoredDay = readonly [day: number, count: number, tokens: number, charged: number, credited: number];

/** The statement as it was issued, but for how its amounts are shown; null = it was not yet. */
export async function findIssued(
  sql: TransactionSql,
  userId: number,
  month: string,
): Promise<Omit<MonthStatement, "display"> | null> {
  const [row] = await sql<(Names & { document: Document })[]>`
    select username, display_name as "displayName", email, document from month_statements
    where user_id = ${userId} and month = ${month}`;
  if (!row) return null;
  const { document, ...names } = row;
  return { ...document, user: { id: userId, ...names } };
}

/** What the account's issued statements contain, the first one first. */
export async function listIssuedDays(sql: TransactionSql, userId: number): Promise<IssuedDays[]> {
  const rows = await sql<{ month: string; closing: number; days: StoredDay[] }[]>`
    select month, (document->>'closing')::bigint as closing, days from month_statements
    where user_id = ${userId} order by month`;
  return rows.map(({ month, closing, days }) => ({
    month,
    closing,
    days: days.map(([day, count, tokens, charged, credited]) => ({ day, count, tokens, charged, credited })),
  }));
}

export async function keepIssued(
  sql: TransactionSql,
  { user, display: _display, ...document }: MonthStatement,
  days: readonly DayTotals[],
): Promise<void> {
  const stored: StoredDay[] = days.map((at) => [at.day, at.count, at.tokens, at.charged, at.credited]);
  await sql`
    insert into month_statements (user_id, month, username, display_name, email, document, days)
    values (${user.id}, ${document.month}, ${user.username}, ${user.displayName}, ${user.email},
      ${JSON.stringify(document)}::text::jsonb, ${JSON.stringify(stored)}::text::jsonb)`;
}

/** How the amounts of a finished month are shown; null = nobody has noted it. */
export async function findUnit(sql: TransactionSql, month: string): Promise<QuotaDisplay | null> {
  const [row] = await sql<QuotaDisplay[]>`
    select in_currency as "inCurrency", quota_per_unit as "quotaPerUnit", symbol from statement_units where month = ${month}`;
  return row ?? null;
}

/** What of the display decides how a statement's amounts are written. */
export function unitOf({ inCurrency, quotaPerUnit, symbol }: QuotaDisplay): QuotaDisplay {
  return { inCurrency, quotaPerUnit, symbol };
}

/** Notes how amounts of a month are shown, unless that is noted. */
export async function keepUnit(sql: Sql | TransactionSql, month: string, display: QuotaDisplay): Promise<boolean> {
  const { inCurrency, quotaPerUnit, symbol } = display;
  const { count } = await sql`
    insert into statement_units (month, in_currency, quota_per_unit, symbol)
    values (${month}, ${inCurrency}, ${quotaPerUnit}, ${symbol}) on conflict do nothing`;
  return count > 0;
}

/** Notes the unit of the month that ended last, before somebody changes it. Returns what it did. */
export async function closeLastMonth(sql: Sql): Promise<string> {
  const [last] = await sql<{ month: string }[]>`
    select to_char(date_trunc('month', now() at time zone 'UTC') - interval '1 day', 'YYYY-MM') as month`;
  if (!last) throw new Error("the database has no date");
  const isNew = await keepUnit(sql, last.month, displayOf(await loadOptions(databaseOf(sql))));
  return isNew ? `${last.month} is closed` : "nothing";
}
