import type { TransactionSql } from "postgres";
import { nowSeconds } from "@/lib/clock";
import { ROLE, requireRole, type ServiceContext } from "@/lib/context";
import { AppError } from "@/lib/errors";
import { requireReach } from "@/lib/user/reach-queries";
import { parseInput } from "@/lib/validation";
import {
  type MonthStatement,
  STATEMENT_LINES_MAX,
  type StatementCharge,
  type StatementCredit,
} from "./month-statement-types";
import { type MonthStatementInput, monthStatementSchema } from "./schemas";

type Period = { userId: number; from: number; until: number };

/**
 * The statement of a month: one's own, as an administrator those of lower roles. All of it is read in one snapshot and
 * must add up. Throws forbidden, not_found, or invalid for a month that has not begun.
 */
export async function readMonthStatement(ctx: ServiceContext, input: MonthStatementInput): Promise<MonthStatement> {
  const actor = requireRole(ctx, ROLE.user);
  const { month, userId = actor.id } = parseInput(monthStatementSchema, input);
  await requireReach(ctx, userId);
  const { from, until, isComplete } = periodOf(month, nowSeconds());
  const period = { userId, from, until };
  const read = await ctx.sql.begin("isolation level repeatable read read only", async (sql) => ({
    user: await readUser(sql, userId),
    opening: await readBalance(sql, userId, from),
    credits: await readCredits(sql, period),
    charges: await readCharges(sql, period),
    closing: await readBalance(sql, userId, until),
  }));
  const { user, opening, closing } = read;
  const creditSum = read.credits.reduce((sum, { amount }) => sum + amount, 0);
  const chargeSum = read.charges.reduce((sum, { amount }) => sum + amount, 0);
  if (opening + creditSum - chargeSum !== closing)
    throw new Error(`the statement ${month} of user ${userId} does not add up`);
  const number = `ST-${month.replace("-", "")}-${userId}`;
  return { number, month, from, until, isComplete, ...read, user, creditSum, chargeSum };
}

/** The months that an account has statements for, the last first. Throws like readMonthStatement. */
export async function listStatementMonths(ctx: ServiceContext, userId?: number): Promise<string[]> {
  const actor = requireRole(ctx, ROLE.user);
  const id = userId ?? actor.id;
  await requireReach(ctx, id);
  const [row] = await ctx.sql<{ first: number | null }[]>`
    select least((select min(created_at) from ledger_entries where user_id = ${id}),
      (select min(hour) from usage_hourly where user_id = ${id}))::bigint as first`;
  if (row?.first === null || row?.first === undefined) return [];
  const months: string[] = [];
  const last = new Date(nowSeconds() * 1_000);
  const first = new Date(row.first * 1_000);
  const at = new Date(Date.UTC(last.getUTCFullYear(), last.getUTCMonth(), 1));
  const begin = Date.UTC(first.getUTCFullYear(), first.getUTCMonth(), 1);
  for (; at.getTime() >= begin; at.setUTCMonth(at.getUTCMonth() - 1)) months.push(at.toISOString().slice(0, 7));
  return months;
}

function periodOf(month: string, now: number): { from: number; until: number; isComplete: boolean } {
  const first = new Date(`${month}-01T00:00:00Z`);
  const from = first.getTime() / 1_000;
  if (from > now) throw new AppError("invalid", "statementMonthAhead", { month });
  first.setUTCMonth(first.getUTCMonth() + 1);
  const until = first.getTime() / 1_000;
  return { from, until: Math.min(until, now + 1), isComplete: until <= now };
}

async function readUser(sql: TransactionSql, id: number): Promise<MonthStatement["user"]> {
  const [user] = await sql<MonthStatement["user"][]>`
    select id, username, display_name as "displayName", coalesce(email, '') as email from users where id = ${id}`;
  if (!user) throw new AppError("not_found", "userNotFound");
  return user;
}

/** The balance just before a moment: what the ledger has up to it, less what was used. */
async function readBalance(sql: TransactionSql, userId: number, moment: number): Promise<number> {
  const [row] = await sql<{ balance: number }[]>`
    select (coalesce((select sum(amount) from ledger_entries where user_id = ${userId} and created_at < ${moment}), 0)
      - coalesce((select sum(quota) from usage_hourly where user_id = ${userId} and hour < ${moment}::bigint), 0))::bigint
      as balance`;
  return row?.balance ?? 0;
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

async function readCharges(sql: TransactionSql, { userId, from, until }: Period): Promise<StatementCharge[]> {
  return sql<StatementCharge[]>`
    with models as (
      select model_name, sum(count)::bigint as count, sum(prompt_tokens + completion_tokens)::bigint as tokens,
        sum(quota)::bigint as amount
      from usage_hourly where user_id = ${userId} and hour >= ${from}::bigint and hour < ${until}::bigint
      group by model_name having sum(count) > 0 or sum(quota) <> 0),
    lines as (
      select *, least(row_number() over (order by amount desc, model_name), ${STATEMENT_LINES_MAX + 1}::bigint) as line
      from models)
    select case when line <= ${STATEMENT_LINES_MAX}::bigint then min(model_name) end as model, sum(count)::bigint as count,
      sum(tokens)::bigint as tokens, sum(amount)::bigint as amount
    from lines group by line order by line`;
}
