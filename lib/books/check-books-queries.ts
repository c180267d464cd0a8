import type { Difference } from "@/lib/billing/reconcile";
import { ROLE, requireRole, type ServiceContext } from "@/lib/context";

/** One check of the books, as root sees it. */
export type BooksCheck = {
  startedAt: number;
  finishedAt: number;
  /** Rows compared, by check. */
  checked: Record<string, number>;
  /** The first differences. */
  differences: Difference[];
  differenceCount: number;
};

/** The last check of the books (root); null before the first one. */
export async function findLastBooksCheck(ctx: ServiceContext): Promise<BooksCheck | null> {
  requireRole(ctx, ROLE.root);
  const [row] = await ctx.sql<BooksCheck[]>`
    select started_at as "startedAt", finished_at as "finishedAt", checked, differences,
      difference_count as "differenceCount"
    from reconcile_runs order by id desc limit 1`;
  return row ?? null;
}
