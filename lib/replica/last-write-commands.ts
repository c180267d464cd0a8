import type { ServiceContext } from "@/lib/context";
import { env } from "@/lib/env";
import { logger } from "@/lib/logger";

/** Whether there is a replica; the environment does not change while a process runs, but between tests. */
const hasReplica = (): boolean => env().DATABASE_REPLICA_URL !== undefined;

/**
 * To be called after each command of a user, also a failed one: from then on their pages are read from a replica only when it
 * has replayed what is written by now. A failure is logged: the command itself has been done.
 */
export async function noteWrite({ sql, actor }: Pick<ServiceContext, "sql" | "actor">): Promise<void> {
  if (actor.type !== "user" || !hasReplica()) return;
  try {
    await sql`
      insert into last_writes (user_id, position)
      values (${actor.id}, pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '0/0')::bigint)
      on conflict (user_id) do update set position = excluded.position`;
  } catch (error) {
    logger.error({ err: error }, "a page may show what was before this change, for a few seconds");
  }
}
