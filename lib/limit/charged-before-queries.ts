import type { Sql } from "@/db/client";
import { readMinutes } from "@/lib/log-store/minute-queries";

const HOUR = 3_600;

/** Whose budget it is; `tokenId` 0 = the user's own. */
export type BudgetOf = { userId: number; tokenId: number };

/**
 * What was charged in the hour that a period begins in, before it began: what the period has of that hour is the hour's sum less this.
 * 0 where the period begins with an hour, as it does in most time zones.
 */
export async function chargedBefore(sql: Sql, { userId, tokenId }: BudgetOf, start: number): Promise<number> {
  const from = start - (start % HOUR);
  if (from === start) return 0;
  const stretches = [{ from, until: start }];
  const { rows } = await readMinutes(sql, { stretches, owner: userId }, ["user_id", "token_id"]);
  const [row] = await sql<{ quota: number }[]>`
    select coalesce(sum(quota), 0)::bigint as quota from ${rows} where ${tokenId}::int = 0 or token_id = ${tokenId}::int`;
  return row?.quota ?? 0;
}

/** Periods whose baseline is not there yet, among those that begin within an hour. */
export async function readUnbegun<Period extends string>(
  sql: Sql,
  { userId, tokenId }: BudgetOf,
  periods: readonly { period: Period; start: number }[],
): Promise<{ period: Period; start: number }[]> {
  const within = periods.filter(({ start }) => start % HOUR !== 0);
  if (within.length === 0) return [];
  const begun = await sql<{ period: Period; start: number }[]>`
    select period, start from budget_periods
    where user_id = ${userId} and owner = ${tokenId === 0 ? "user" : "token"} and owner_id = ${tokenId || userId}`;
  return within.filter(({ period, start }) => !begun.some((row) => row.period === period && row.start >= start));
}
