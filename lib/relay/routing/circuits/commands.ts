import type { Sql } from "@/db/client";
import type { CircuitCause } from "@/lib/row-status";
import { CALM_MS } from "./circuit";

/** A circuit as stored. Spans count from the moment of reading, on the database's clock. */
export type CircuitRow = {
  channelId: number;
  model: string;
  cause: CircuitCause;
  level: number;
  isOpen: boolean;
  restMs: number;
  /** Null while it is open. */
  closedForMs: number | null;
  probeId: string | null;
  probeMs: number | null;
};

/** A rest is stored later than it was begun, so its end in the database may be later by so much than in the process that began it. */
export const STORED_LATE_MS = 500;

type Key = { channelId: number; model: string };

/** The circuits that are open or closed a short while ago; of these channels, or of all. */
export async function readCircuits(sql: Sql, channelIds: readonly number[] | null): Promise<CircuitRow[]> {
  return await sql<CircuitRow[]>`
    with moment as (select clock_timestamp() as at)
    select channel_id as "channelId", model, cause, level, closed_at is null as "isOpen",
      (extract(epoch from open_until - at) * 1000)::float8 as "restMs",
      (extract(epoch from at - closed_at) * 1000)::float8 as "closedForMs", probe_id as "probeId",
      (extract(epoch from probe_until - at) * 1000)::float8 as "probeMs"
    from channel_circuits, moment
    where (closed_at is null or closed_at > at - ${CALM_MS} * interval '1 ms')
      and (${channelIds === null} or channel_id = any(${[...(channelIds ?? [])]}::int[]))`;
}

/**
 * Opens a circuit, or lets it rest anew after its probe failed, and tells all processes. False = nothing was changed,
 * because another process has opened it meanwhile or the channel is gone.
 */
export async function saveOpen(
  sql: Sql,
  { channelId, model, cause, level, restMs }: Key & Pick<CircuitRow, "cause" | "level" | "restMs">,
): Promise<boolean> {
  const rows = await sql`
    with saved as (
      insert into channel_circuits as circuit (channel_id, model, cause, level, open_until)
      select id, ${model}, ${cause}, ${level}::int, clock_timestamp() + ${restMs}::float8 * interval '1 ms'
      from channels where id = ${channelId}
      on conflict (channel_id, model) do update set cause = excluded.cause, level = excluded.level,
        opened_at = case when circuit.closed_at is null then circuit.opened_at else excluded.opened_at end,
        open_until = excluded.open_until, closed_at = null, probe_id = null, probe_until = null,
        updated_at = excluded.updated_at
      where circuit.closed_at is not null or circuit.open_until <= clock_timestamp()
      returning channel_id)
    select pg_notify('weir', 'circuits:' || channel_id) from saved`;
  return rows.length > 0;
}

/** Closes a circuit and tells all processes. */
export async function saveClosed(sql: Sql, { channelId, model }: Key): Promise<void> {
  await sql`
    with saved as (
      update channel_circuits set closed_at = clock_timestamp(), probe_id = null, probe_until = null, updated_at = now()
      where channel_id = ${channelId} and model = ${model} and closed_at is null
      returning channel_id)
    select pg_notify('weir', 'circuits:' || channel_id) from saved`;
}

/** Claims the probe of a circuit whose rest is over. Of all processes one gets it, until it is used or `forMs` have passed. */
export async function claimProbe(
  sql: Sql,
  { channelId, model }: Key,
  probeId: string,
  forMs: number,
): Promise<boolean> {
  const rows = await sql`
    update channel_circuits
    set probe_id = ${probeId}::uuid, probe_until = clock_timestamp() + ${forMs}::float8 * interval '1 ms'
    where channel_id = ${channelId} and model = ${model} and closed_at is null
      and open_until <= clock_timestamp() + ${STORED_LATE_MS} * interval '1 ms'
      and (probe_until is null or probe_until <= clock_timestamp())
    returning 1`;
  return rows.length > 0;
}

/** A claimed probe is on its way: nobody else may claim one for `forMs`. */
export async function keepProbe(sql: Sql, probeId: string, { channelId, model }: Key, forMs: number): Promise<void> {
  await sql`
    update channel_circuits set probe_until = clock_timestamp() + ${forMs}::float8 * interval '1 ms'
    where channel_id = ${channelId} and model = ${model} and probe_id = ${probeId}::uuid`;
}

const KEPT_SECONDS = 86_400;

/** Deletes circuits in which nothing happened for a day; returns how many. */
export async function sweepCircuits(sql: Sql): Promise<number> {
  const gone = await sql`
    delete from channel_circuits where updated_at < now() - ${KEPT_SECONDS} * interval '1 s'`;
  return gone.count;
}
