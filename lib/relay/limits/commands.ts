import type { Sql } from "@/db/client";

/** The result of asking for admissions. Times are the database's. */
export type Taken = {
  granted: boolean;
  /** Admissions taken in the previous window, and in this one including those just granted. */
  previous: number;
  count: number;
  /** Seconds since this window began. */
  elapsed: number;
  /** The number of this window: seconds since 1970 divided by its length. */
  window: number;
};

export type Allowance = { subject: string; limit: number; seconds: number };

/**
 * Takes `wanted` admissions from a subject's window if the sliding count allows all of them. The count is what was
 * taken in this window, plus the share of the previous window that still lies within the last `seconds`. One statement.
 */
export async function takeAdmissions(sql: Sql, { subject, limit, seconds }: Allowance, wanted: number): Promise<Taken> {
  // window_start is set to when the row no longer matters, so that the sweep of old counters keeps it until then.
  const [row] = await sql<Taken[]>`
    with moment as (select extract(epoch from clock_timestamp())::float8 as at),
    span as (
      select ${`rate:${subject}:${seconds}:`}::text as prefix, floor(at / ${seconds}::int)::bigint as index,
        at - floor(at / ${seconds}::int) * ${seconds}::int as elapsed from moment),
    before as (
      select coalesce(max(count), 0)::int as count from span left join rate_counters on key = prefix || (index - 1)),
    room as (
      select floor(${limit}::int - before.count * (1 - elapsed / ${seconds}::int))::int as total from span, before),
    taken as (
      insert into rate_counters as counter (key, count, window_start)
      select prefix || index, ${wanted}::int, (index + 2) * ${seconds}::int from span, room
        where room.total >= ${wanted}::int
      on conflict (key) do update set count = counter.count + excluded.count
        where counter.count + excluded.count <= (select total from room)
      returning count)
    select taken.count is not null as granted, before.count as previous, span.elapsed, span.index as "window",
      coalesce(taken.count, present.count, 0)::int as count
    from span cross join before left join taken on true left join rate_counters as present on key = prefix || index`;
  if (!row) throw new Error("no row");
  return row;
}

/** Returns admissions to the window they are of, for what is not counted after all. */
export async function returnAdmissions(
  sql: Sql,
  { subject, seconds }: Allowance,
  amount: number,
  window: number,
): Promise<void> {
  await sql`
    update rate_counters set count = greatest(0, count - ${amount}::int)
    where key = ${`rate:${subject}:${seconds}:${window}`}`;
}

/** Counts what was used beyond what was admitted in the current window, whatever the limit is. */
export async function chargeAdmissions(sql: Sql, { subject, seconds }: Allowance, amount: number): Promise<void> {
  await sql`
    insert into rate_counters as counter (key, count, window_start)
    select ${`rate:${subject}:${seconds}:`}::text || index, ${amount}::int, (index + 2) * ${seconds}::int
    from (select floor(extract(epoch from clock_timestamp()) / ${seconds}::int)::bigint as index) as span
    on conflict (key) do update set count = least(2000000000, counter.count::bigint + excluded.count)::int`;
}

/** A process and a subject whose requests at once are limited: a user ("5"), a token ("t5") or a channel ("c5"). */
type Place = { subject: string; nodeId: string };

const totalKey = (subject: string): string => `concurrent:${subject}`;
const ownKey = ({ subject, nodeId }: Place): string => `concurrent:${subject}:${nodeId}`;
const waitingKey = ({ subject, nodeId }: Place): string => `waiting:${subject}:${nodeId}`;
/** A process where somebody waits says so much more often. */
const WAITING_SECONDS = 3;

/**
 * Takes concurrency slots of a subject for this process, if all of them are free. Every change locks the row with the
 * subject's total first.
 */
export async function takePlaces(sql: Sql, place: Place, limit: number, wanted: number): Promise<boolean> {
  if (wanted > limit) return false;
  const rows = await sql`
    with total as (
      insert into rate_counters as counter (key, count, window_start)
      values (${totalKey(place.subject)}, ${wanted}::int, floor(extract(epoch from now()))::bigint)
      on conflict (key) do update set count = counter.count + excluded.count, window_start = excluded.window_start
        where counter.count + excluded.count <= ${limit}::int
      returning 1),
    own as (
      insert into rate_counters as counter (key, count, window_start)
      select ${ownKey(place)}, ${wanted}::int, floor(extract(epoch from now()))::bigint from total
      on conflict (key) do update set count = counter.count + excluded.count, window_start = excluded.window_start
      returning 1)
    select 1 from total, own`;
  return rows.length > 0;
}

export async function returnPlaces(sql: Sql, place: Place, amount: number): Promise<void> {
  await sql`
    with total as (
      update rate_counters set count = greatest(0, count - ${amount}::int) where key = ${totalKey(place.subject)}
      returning 1)
    update rate_counters set count = greatest(0, count - ${amount}::int)
    where key = ${ownKey(place)} and exists (select 1 from total)`;
}

/**
 * Tells how many owners wait in this process; returns how many wait in others. Those of a process that died
 * count for a moment only.
 */
export async function tellWaiting(sql: Sql, place: Place, owners: number): Promise<number> {
  const rows = await sql<{ others: number }[]>`
    with own as (
      insert into rate_counters as counter (key, count, window_start)
      values (${waitingKey(place)}, ${owners}::int, floor(extract(epoch from clock_timestamp()))::bigint)
      on conflict (key) do update set count = excluded.count, window_start = excluded.window_start)
    select coalesce(sum(count), 0)::int as others
    from nodes join rate_counters on key = ${`waiting:${place.subject}:`} || nodes.id::text
    where nodes.id <> ${place.nodeId}
      and window_start >= extract(epoch from clock_timestamp())::bigint - ${WAITING_SECONDS}::int`;
  return rows[0]?.others ?? 0;
}

/** Frees the slots of dead processes: the subject's total becomes the sum over the registered processes. */
export async function repairPlaces(sql: Sql, subject: string): Promise<void> {
  await sql.begin(async (tx) => {
    await tx`select 1 from rate_counters where key = ${totalKey(subject)} for update`;
    await tx`
      delete from rate_counters where key like ${`${totalKey(subject)}:%`}
        and split_part(key, ':', 3) not in (select id::text from nodes)`;
    await tx`
      update rate_counters set count = (
        select coalesce(sum(count), 0) from rate_counters where key like ${`${totalKey(subject)}:%`})
      where key = ${totalKey(subject)}`;
  });
}
