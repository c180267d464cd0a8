import type { Sql } from "@/db/client";

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
  // The function in db/functions/take-user-budget.sql.
  const rows = await sql<{ granted: number; day: number | null; week: number | null; month: number | null }[]>`
    select granted, left_day as day, left_week as week, left_month as month
    from weir_take_user_budget(${userId}, ${owner === "token" ? id : 0}, ${nodeId}, ${starts}::bigint[], ${[...limits]}::bigint[],
      ${wanted}::bigint, ${needed}::bigint, ${least}::bigint, ${dropped}::bigint)`;
  const [row] = rows;
  if (!row) throw new Error("no row");
  return { granted: row.granted, lefts: [row.day, row.week, row.month] };
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
