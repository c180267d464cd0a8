import { randomBytes } from "node:crypto";
import type { Sql } from "@/db/client";

/** What is sent together. `id` is random: no other batch ever has it, whatever a restored backup has forgotten. */
export type Batch = { id: number; shard: number; outboxIds: number[] };
/** `isLast`: nothing was left in the outbox when it was made. */
export type NewBatch = Batch & { isLast: boolean };
export type OutboxRow = { id: number; skipped: number[] | null; body: string };
export type BatchBounds = { rows: number; bytes: number };

/** Rows of log_outbox that are looked at for a batch. */
const FLUSHES_MAX = 10_000;

/** A number that JavaScript holds exactly. */
function newBatchId(): number {
  return randomBytes(6).readUIntBE(0, 6);
}

/** Changes with every server that answers, e.g. after a fail-over, and with each of its starts. */
export async function readServerStart(sql: Sql): Promise<{ start: string; newest: number }> {
  const [row] = await sql<{ start: string; newest: number }[]>`
    select coalesce(inet_server_addr()::text, '') || ' ' || pg_postmaster_start_time() as start,
      coalesce((select max(id) from log_outbox), 0)::float8 as newest`;
  if (!row) throw new Error("the database gave no answer");
  return row;
}

/** Batches whose end is not known, in the order in which they were made. */
export async function listBatches(sql: Sql): Promise<Batch[]> {
  return sql<Batch[]>`
    select id::float8 as id, shard, outbox_ids::float8[] as "outboxIds" from log_batches order by created_at, id`;
}

/** Puts the oldest rows that are in no batch into one; at least one flush, however large. Null = there are none. */
export async function makeBatch(sql: Sql, shard: number, bounds: BatchBounds): Promise<NewBatch | null> {
  const [batch] = await sql<NewBatch[]>`
    with waiting as materialized (
      select id, row_number() over oldest as place, sum(row_count) over oldest as rows, sum(bytes) over oldest as bytes
      from (
        select id, row_count, octet_length(body) as bytes from log_outbox
        where id not in (select unnest(outbox_ids) from log_batches) order by id limit ${FLUSHES_MAX}) as oldest_first
      window oldest as (order by id)),
    made as (
      insert into log_batches (id, shard, outbox_ids)
      select ${newBatchId()}, ${shard}, array_agg(id order by id) from waiting
      where place = 1 or (rows <= ${bounds.rows} and bytes <= ${bounds.bytes})
      having count(*) > 0
      returning id, shard, outbox_ids)
    select made.id::float8 as id, shard, outbox_ids::float8[] as "outboxIds",
      cardinality(outbox_ids) = seen.count and seen.count < ${FLUSHES_MAX} as "isLast"
    from made, (select count(*) from waiting) as seen`;
  return batch ?? null;
}

export async function readOutboxRows(sql: Sql, ids: readonly number[]): Promise<OutboxRow[]> {
  return sql<OutboxRow[]>`
    select id::float8 as id, skipped, body from log_outbox where id = any(${[...ids]}::bigint[]) order by id`;
}

/** The log store has all of it. */
export async function endBatch(sql: Sql, { id, outboxIds }: Batch): Promise<void> {
  await sql.begin(async (tx) => {
    await tx`delete from log_outbox where id = any(${outboxIds}::bigint[])`;
    await tx`delete from log_batches where id = ${id}`;
  });
}

/** Makes two of a batch that the log store refuses, so that what it refuses is alone in the end. */
export async function splitBatch(sql: Sql, { id, shard, outboxIds }: Batch): Promise<Batch[]> {
  const middle = outboxIds.length >> 1;
  const halves = [outboxIds.slice(0, middle), outboxIds.slice(middle)].map((ids) => ({
    id: newBatchId(),
    shard,
    outboxIds: ids,
  }));
  await sql.begin(async (tx) => {
    await tx`delete from log_batches where id = ${id}`;
    for (const half of halves) {
      await tx`
        insert into log_batches (id, shard, outbox_ids) values (${half.id}, ${shard}, ${half.outboxIds}::bigint[])`;
    }
  });
  return halves;
}
