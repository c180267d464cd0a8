import type { Sql } from "@/db/client";

const aheadDays = 92;

/** Creates the usage log's monthly partitions ahead of time, so that no row goes to the default partition. */
export async function ensureLogPartitions(sql: Sql): Promise<string> {
  const now = Math.floor(Date.now() / 1000);
  const [row] = await sql<{ made: number }[]>`
    select weir_ensure_log_partitions(${now}::bigint, ${now + aheadDays * 86_400}::bigint) as made`;
  return `${row?.made ?? 0} made`;
}
