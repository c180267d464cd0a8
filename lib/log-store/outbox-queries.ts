import type { Sql } from "@/db/client";

/** More than this waits only while the log store is away, or too slow. */
export const BEHIND_SECONDS = 300;

/** What is on its way to the log store. */
export type OutboxState = {
  rows: number;
  bytes: number;
  /** 0 = there is none. */
  oldestSeconds: number;
};

export async function readOutbox(sql: Sql): Promise<OutboxState> {
  const [row] = await sql<OutboxState[]>`
    select coalesce(sum(row_count), 0)::float8 as rows, coalesce(sum(octet_length(body)), 0)::float8 as bytes,
      greatest(0, coalesce(floor(extract(epoch from now())) - min(created_at), 0))::float8 as "oldestSeconds"
    from log_outbox`;
  return row ?? { rows: 0, bytes: 0, oldestSeconds: 0 };
}

/** Without what was settled before; reads no row's text. */
export async function countWaitingRows(sql: Sql): Promise<number> {
  const [row] = await sql<{ rows: number }[]>`select coalesce(sum(row_count), 0)::float8 as rows from log_outbox`;
  return row?.rows ?? 0;
}
