import type { Sql } from "@/db/client";

/** The result of asking for admissions. Times are the database's. */
export type Taken = {
  granted: number;
  /** What is left for all processes after it. */
  remaining: number;
  /** Seconds until as many as were needed are left; 0 = they are. */
  wait: number;
  /** Seconds until all are left, if nothing else is taken. */
  reset: number;
  /** The moments from which the urgent ones count, and those taken in advance; unix seconds. */
  stamp: number;
  freeStamp: number;
};

export type Allowance = { subject: string; limit: number; seconds: number };

export type Want = {
  wanted: number;
  /** So many are used at once, the others later. */
  urgent: number;
  /** Fewer are not taken. */
  needed: number;
  /** For how many seconds those beyond `urgent` may be used. */
  hold: number;
  /** Unix seconds; absent = the database's time. */
  moment?: number;
};

const keyOf = ({ subject, seconds }: Allowance): string => `rate:${subject}:${seconds}`;

/** Takes admissions of a subject, if as many as are needed are left. One statement, of one row that all processes share. */
export async function takeAdmissions(sql: Sql, allowance: Allowance, want: Want): Promise<Taken> {
  return count(sql, allowance, want, 0);
}

/** Counts what was used beyond what was admitted, whatever the limit is. */
export async function chargeAdmissions(sql: Sql, allowance: Allowance, amount: number, moment?: number): Promise<void> {
  await count(
    sql,
    allowance,
    { wanted: 0, urgent: 0, needed: 0, hold: 0, ...(moment === undefined ? {} : { moment }) },
    amount,
  );
}

/** The function in db/functions/take-admissions.sql. */
async function count(sql: Sql, allowance: Allowance, want: Want, spent: number): Promise<Taken> {
  const { limit, seconds } = allowance;
  const { wanted, urgent, needed, hold, moment = null } = want;
  const [row] = await sql<Taken[]>`
    select granted, remaining, wait, reset, stamp, free_stamp as "freeStamp" from weir_take_admissions(${keyOf(allowance)}, ${limit}::int,
      ${seconds}::int, ${wanted}::int, ${urgent}::int, ${needed}::int, ${Math.min(spent, 2_000_000_000)}::int, ${hold}::float8, ${moment}::float8)`;
  if (!row) throw new Error("no row");
  return row;
}

/** Returns admissions to the moment they count from, for what is not counted after all. */
export async function returnAdmissions(sql: Sql, allowance: Allowance, amount: number, stamp: number): Promise<void> {
  await sql`
    update rate_counters as counter set amounts = (
      select array_agg(case when one.place = (
          select min(part.place) from unnest(counter.ends) with ordinality as part (at, place) where part.at >= ${stamp}::float8)
        then greatest(0, one.amount - ${amount}::int) else one.amount end order by one.place)
      from unnest(counter.amounts) with ordinality as one (amount, place))
    where key = ${keyOf(allowance)}`;
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

/** The longest time of a counter whose row does not say when it ends; how long one lives at least. */
const COUNTED_SECONDS = 86_400;
const SWEPT_AT_ONCE = 10_000;

/**
 * Deletes counters that nothing counts by any more: of windows that ended long ago, of processes that are gone, and of places that
 * nobody has taken for long. `longest`: seconds of the longest window. Returns how many.
 */
export async function sweepCounters(sql: Sql, longest: number): Promise<number> {
  const age = Math.max(COUNTED_SECONDS, 2 * longest);
  const left = await sql<{ subject: string }[]>`
    select distinct split_part(key, ':', 2) as subject from rate_counters
    where key like 'concurrent:%' and window_start <= extract(epoch from now())::bigint - ${age}::bigint
      and count > 0 and split_part(key, ':', 3) not in (select id::text from nodes)`;
  for (const { subject } of left) await repairPlaces(sql, subject);
  let deleted = 0;
  for (;;) {
    // A row that is being counted in is none of them. Places in use are kept however long they are held.
    const gone = await sql`
      delete from rate_counters where key in (
          select key from rate_counters where window_start <= extract(epoch from now())::bigint - ${age}::bigint
            and (count = 0 or key not like 'concurrent:%') limit ${SWEPT_AT_ONCE} for update skip locked)`;
    deleted += gone.count;
    if (gone.count < SWEPT_AT_ONCE) return deleted;
  }
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
