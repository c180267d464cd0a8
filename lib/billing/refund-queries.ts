import { sql } from "drizzle-orm";
import type { Database } from "@/db/client";
import type { Counter, Seen } from "./meant-change";

/** How old a row that is sent back may be. */
const DAYS = 7;

/**
 * A counter with what was given back of its used quota lately, where a client has seen more used than there is now; nothing is read
 * for the others. Only the end of a task gives something back.
 */
export async function withRefunds(
  db: Database,
  counter: Counter,
  { amount, used = 0 }: Seen,
  of: { userId: number; tokenId?: number },
): Promise<Counter> {
  if (amount !== undefined || used <= counter.used) return counter;
  const [row] = await db.execute<{ refunded: number }>(sql`
    select coalesce(-sum(moved.amount), 0)::bigint as refunded
    from tasks join task_movements moved on moved.task = tasks.id
    where tasks.user_id = ${of.userId} ${of.tokenId === undefined ? sql`` : sql`and tasks.token_id = ${of.tokenId}`}
      and moved.amount < 0 and moved.created_at >= extract(epoch from now())::bigint - ${DAYS * 86_400}`);
  return { ...counter, refunded: row?.refunded ?? 0 };
}
