import type { Sql } from "@/db/client";

const FLUSHES_AT_ONCE = 50;

/** Moves what is on its way to a log store that is not used any more into PostgreSQL's log; returns how many rows. */
export async function moveOutboxToLog(sql: Sql, stopping?: AbortSignal): Promise<number> {
  for (let total = 0; ; ) {
    const [row] = await sql<{ moved: number }[]>`select weir_move_outbox(${FLUSHES_AT_ONCE}) as moved`;
    total += row?.moved ?? 0;
    if (!row?.moved || stopping?.aborted) return total;
  }
}
