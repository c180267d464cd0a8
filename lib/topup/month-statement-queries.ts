import type { TransactionSql } from "postgres";
import { isUniqueViolation, SQL_STATE, sqlStateOf } from "@/db/sql-state";
import { nowSeconds } from "@/lib/clock";
import { ROLE, requireRole, type ServiceContext } from "@/lib/context";
import { AppError } from "@/lib/errors";
import { displayOf, type QuotaDisplay } from "@/lib/money/display";
import { loadOptions } from "@/lib/option/queries";
import type { Summed } from "@/lib/statistics/spans";
import { hoursOfUser, readSummed } from "@/lib/statistics/sums-queries";
import { requireReach } from "@/lib/user/reach-queries";
import { parseInput } from "@/lib/validation";
import { findIssued, findUnit, keepIssued, keepUnit, listIssuedDays, unitOf } from "./issued-statement-commands";
import {
  type MonthStatement,
  STATEMENT_LINES_MAX,
  type StatementCharge,
  type StatementCredit,
} from "./month-statement-types";
import { type MonthStatementInput, monthStatementSchema } from "./schemas";
import { beginChain, DAY, type DayTotals, type MonthSums } from "./statement-chain";

/** When a month has been over for so long its statement can be issued: what ended with the month is booked by then. */
const CLOSING_SECONDS = 3_600;
const TRIES = 3;

export type Period = { userId: number; month: string; from: number; until: number; isComplete: boolean };

/**
 * The statement of a month: one's own, as an administrator those of lower roles. All of it is read in one snapshot and
 * must add up. That of a finished month is issued by the first who asks, with those before it, and stays as it is: what is
 * booked for its days later is in the next one. Throws forbidden, not_found, or invalid for a month that has not begun.
 */
export async function readMonthStatement(ctx: ServiceContext, input: MonthStatementInput): Promise<MonthStatement> {
  const actor = requireRole(ctx, ROLE.user);
  const { month, userId = actor.id } = parseInput(monthStatementSchema, input);
  await requireReach(ctx, userId);
  const display = unitOf(displayOf(await loadOptions(ctx.db)));
  for (let attempt = 1; ; attempt++) {
    try {
      return await ctx.sql.begin("isolation level repeatable read", (sql) =>
        readWithin(sql, { userId, month, display }),
      );
    } catch (error) {
      // Two asked for the first time at once; the other one's is there now.
      const isBeaten = sqlStateOf(error) === SQL_STATE.serializationFailure || isUniqueViolation(error);
      if (attempt === TRIES || !isBeaten) throw error;
    }
  }
}

type Wanted = { userId: number; month: string; display: QuotaDisplay };

async function readWithin(sql: TransactionSql, { userId, month, display }: Wanted): Promise<MonthStatement> {
  const [clock] = await sql<{ now: number }[]>`select floor(extract(epoch from now()))::bigint as now`;
  const period = periodOf(userId, month, clock?.now ?? nowSeconds());
  const user = await readUser(sql, userId);
  const stored = await findIssued(sql, userId, month);
  if (stored) return { ...stored, display: (await findUnit(sql, month)) ?? display };
  const summed = await readSummed(sql);
  const [issued, days] = [await listIssuedDays(sql, userId), await readDays(sql, period, summed)];
  const chain = beginChain(issued, days, period);
  for (const at of chain.months) {
    const part = periodOf(userId, at, clock?.now ?? nowSeconds());
    const sums = chain.next(part);
    if (!period.isComplete && at !== month) continue;
    const statement = statementOf(user, part, sums, { ...(await readLines(sql, part, summed)), display });
    if (at === month && !chain.isKept) return statement;
    if (period.isComplete) {
      await keepUnit(sql, at, display);
      await keepIssued(sql, statement, sums.days);
    }
    if (at === month) return { ...statement, display: (period.isComplete && (await findUnit(sql, at))) || display };
  }
  throw new Error(`no statement ${month} of user ${userId}`);
}

type Lines = Pick<MonthStatement, "credits" | "charges" | "display">;

function statementOf(
  user: MonthStatement["user"],
  { userId, month, from, until, isComplete }: Period,
  { opening, late, lateSum, closing }: MonthSums,
  { credits, charges, display }: Lines,
): MonthStatement {
  const creditSum = credits.reduce((sum, { amount }) => sum + amount, 0);
  const chargeSum = charges.reduce((sum, { amount }) => sum + amount, 0);
  if (opening + creditSum - chargeSum + lateSum !== closing)
    throw new Error(`the statement ${month} of user ${userId} does not add up`);
  const number = `ST-${month.replace("-", "")}-${userId}`;
  const sums = { opening, credits, creditSum, charges, chargeSum, late, lateSum, closing };
  return { number, user, month, from, until, isComplete, display, ...sums };
}

/** The months that an account has statements for, the last first. Throws like readMonthStatement. */
export async function listStatementMonths(ctx: ServiceContext, userId?: number): Promise<string[]> {
  const actor = requireRole(ctx, ROLE.user);
  const id = userId ?? actor.id;
  await requireReach(ctx, id);
  const [row] = await ctx.sql<{ first: number | null }[]>`
    select least((select min(created_at) from ledger_entries where user_id = ${id}),
      (select min(hour) from usage_hourly where user_id = ${id} and hour >= ${DAY}))::bigint as first`;
  if (row?.first === null || row?.first === undefined) return [];
  const months: string[] = [];
  const last = new Date(nowSeconds() * 1_000);
  const first = new Date(row.first * 1_000);
  const at = new Date(Date.UTC(last.getUTCFullYear(), last.getUTCMonth(), 1));
  const begin = Date.UTC(first.getUTCFullYear(), first.getUTCMonth(), 1);
  for (; at.getTime() >= begin; at.setUTCMonth(at.getUTCMonth() - 1)) months.push(at.toISOString().slice(0, 7));
  return months;
}

function periodOf(userId: number, month: string, now: number): Period {
  const first = new Date(`${month}-01T00:00:00Z`);
  const from = first.getTime() / 1_000;
  if (from > now) throw new AppError("invalid", "statementMonthAhead", { month });
  first.setUTCMonth(first.getUTCMonth() + 1);
  const until = first.getTime() / 1_000;
  return { userId, month, from, until: Math.min(until, now + 1), isComplete: until + CLOSING_SECONDS <= now };
}

async function readUser(sql: TransactionSql, id: number): Promise<MonthStatement["user"]> {
  const [user] = await sql<MonthStatement["user"][]>`
    select id, username, display_name as "displayName", coalesce(email, '') as email from users where id = ${id}`;
  if (!user) throw new AppError("not_found", "userNotFound");
  return user;
}

/** All that the account's balance is made of before the end of a period, by day. */
async function readDays(sql: TransactionSql, { userId, until }: Period, summed: Summed): Promise<DayTotals[]> {
  return sql<DayTotals[]>`
    select day, sum(count)::bigint as count, sum(tokens)::bigint as tokens, sum(charged)::bigint as charged,
      sum(credited)::bigint as credited
    from (
      select hour - hour % ${DAY} as day, sum(count) as count, sum(tokens) as tokens, sum(quota) as charged, 0 as credited
      from (${hoursOfUser(sql, userId, 0, until, summed)}) used group by 1
      union all
      select created_at - created_at % ${DAY}, 0, 0, 0, sum(amount)
      from ledger_entries where user_id = ${userId} and created_at < ${until} group by 1) as parts
    group by day order by day`;
}

async function readLines(
  sql: TransactionSql,
  period: Period,
  summed: Summed,
): Promise<Pick<Lines, "credits" | "charges">> {
  return { credits: await readCredits(sql, period), charges: await readCharges(sql, period, summed) };
}

async function readCredits(sql: TransactionSql, { userId, from, until }: Period): Promise<StatementCredit[]> {
  const rows = await sql<StatementCredit[]>`
    select created_at as at, kind, reference, note, 1 as count, amount from ledger_entries
    where user_id = ${userId} and created_at >= ${from} and created_at < ${until}
    order by created_at, id limit ${STATEMENT_LINES_MAX + 1}`;
  if (rows.length <= STATEMENT_LINES_MAX) return [...rows];
  return sql<StatementCredit[]>`
    select null::bigint as at, kind, '' as reference, '' as note, count(*)::int as count, sum(amount)::bigint as amount
    from ledger_entries where user_id = ${userId} and created_at >= ${from} and created_at < ${until}
    group by kind order by sum(amount) desc, kind`;
}

async function readCharges(
  sql: TransactionSql,
  { userId, from, until }: Period,
  summed: Summed,
): Promise<StatementCharge[]> {
  return sql<StatementCharge[]>`
    with models as (
      select model_name, sum(count)::bigint as count, sum(tokens)::bigint as tokens, sum(quota)::bigint as amount
      from (${hoursOfUser(sql, userId, from, until, summed)}) used
      group by model_name having sum(count) > 0 or sum(quota) <> 0),
    lines as (
      select *, least(row_number() over (order by amount desc, model_name), ${STATEMENT_LINES_MAX + 1}::bigint) as line
      from models)
    select case when line <= ${STATEMENT_LINES_MAX}::bigint then min(model_name) end as model, sum(count)::bigint as count,
      sum(tokens)::bigint as tokens, sum(amount)::bigint as amount
    from lines group by line order by line`;
}
