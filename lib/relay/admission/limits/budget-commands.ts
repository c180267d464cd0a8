import type { Sql } from "@/db/client";
import { AppError } from "@/lib/errors";
import { BUDGET_PERIODS } from "@/lib/limit/budget-periods";
import { chargedBefore, readUnbegun } from "@/lib/limit/charged-before-queries";
import { logStore } from "@/lib/log-store/store";
import { logger } from "@/lib/logger";

const HOUR = 3_600;

/** A user or token and what it may spend in each of BUDGET_PERIODS; 0 = no limit. */
export type BudgetOwner = {
  owner: "user" | "token";
  id: number;
  /** The token's user, or the user. */
  userId: number;
  limits: readonly [number, number, number];
};

export type BudgetAsk = {
  /** The starts of the periods, in unix seconds. */
  starts: number[];
  wanted: number;
  /** Granted where there is less than `wanted`. */
  needed: number;
  /** Less than this is never granted. */
  least: number;
  /** What this process holds no more. */
  dropped: number;
};

/** What is left of each period before this grant, with what others hold; null = the period has no limit. */
export type BudgetGrant = { granted: number; lefts: (number | null)[] };

/** Moves a part of an owner's budgets to what this process holds. Throws for a process that was swept. */
export async function takeBudget(
  sql: Sql,
  nodeId: string,
  { owner, id, userId, limits }: BudgetOwner,
  { starts, wanted, needed, least, dropped }: BudgetAsk,
): Promise<BudgetGrant> {
  await beginPeriods(sql, { owner, id, userId, limits }, starts);
  // The function in db/functions/take-user-budget.sql.
  const rows = await sql<{ granted: number; day: number | null; week: number | null; month: number | null }[]>`
    select granted, left_day as day, left_week as week, left_month as month
    from weir_take_user_budget(${userId}, ${owner === "token" ? id : 0}, ${nodeId}, ${starts}::bigint[], ${[...limits]}::bigint[],
      ${wanted}::bigint, ${needed}::bigint, ${least}::bigint, ${dropped}::bigint)`;
  const [row] = rows;
  if (!row) throw new Error("no row");
  return { granted: row.granted, lefts: [row.day, row.week, row.month] };
}

/**
 * Writes the baselines of periods that begin within an hour while the log is in a log store, which the function cannot read. If the
 * store does not answer, the whole hour counts, so that nobody spends more than the budget.
 */
async function beginPeriods(sql: Sql, { owner, id, userId, limits }: BudgetOwner, starts: number[]): Promise<void> {
  if (logStore() === null) return;
  const of = { userId, tokenId: owner === "token" ? id : 0 };
  const periods = BUDGET_PERIODS.flatMap((period, place) =>
    (limits[place] ?? 0) > 0 ? [{ period, start: starts[place] ?? 0 }] : [],
  );
  for (const { period, start } of await readUnbegun(sql, of, periods)) {
    try {
      const before = await chargedBefore(sql, of, start);
      await sql.begin(async (tx) => {
        const [row] =
          owner === "user"
            ? await tx<{ used: number }[]>`select used_quota as used from users where id = ${userId} for no key update`
            : await tx<{ used: number }[]>`
                select used_quota as used from tokens where id = ${id} and user_id = ${userId} for no key update`;
        if (!row) return;
        await tx`
          insert into budget_periods as known (user_id, owner, owner_id, period, start, baseline)
          select ${userId}, ${owner}, ${id}, ${period}, ${start}, ${row.used + before}::bigint - coalesce(sum(quota), 0)
          from usage_hourly
          where user_id = ${userId} and hour >= ${start - (start % HOUR)} and (${of.tokenId}::int = 0 or token_id = ${of.tokenId}::int)
          on conflict (owner, owner_id, period)
            do update set user_id = excluded.user_id, start = excluded.start, baseline = excluded.baseline
            where known.start < excluded.start or known.user_id <> excluded.user_id`;
      });
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      logger.warn({ err: error, userId, period }, "a budget counts the whole hour in which its period began");
    }
  }
}

/** Returns what this process holds no more. */
export async function returnBudget(
  sql: Sql,
  nodeId: string,
  { owner, id, userId }: Pick<BudgetOwner, "owner" | "id" | "userId">,
  amount: number,
): Promise<void> {
  await sql`
    update budget_holds set amount = greatest(0, amount - ${amount}::bigint)
    where user_id = ${userId} and owner = ${owner} and owner_id = ${id} and node_id = ${nodeId}`;
}
