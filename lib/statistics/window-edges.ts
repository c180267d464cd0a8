import type { Sql } from "@/db/client";
import { AppError } from "@/lib/errors";
import { type MinuteColumn, type MinuteRows, readMinutes } from "@/lib/log-store/minute-queries";
import type { Stretch } from "./spans";
import type { Granularity } from "./types";

const HOUR = 3_600;
/** A sum that is kept for an hour lies at its last second, so that an hour which a bucket begins in is of that bucket. */
export const HOUR_END = HOUR - 1;
/** Buckets that begin within an hour are cut there as long as they are at most so many: two months of days. */
const CUTS_MAX = 62;

const hourOf = (seconds: number) => seconds - (seconds % HOUR);

/**
 * A window as whole hours, from the sums, and the rows of parts of an hour: those to add, those to take away from the sum of their
 * hour, and those to move from it to the bucket before. Days begin within an hour where a time zone is half an hour or a quarter off. Unix
 * seconds, ends exclusive.
 *
 * A cut hour counts after the cut, less its rows before it. So windows that follow each other add up to their hours, also where the
 * log was cleared.
 */
export type WindowEdges = { from: number; until: number; added: Stretch[]; taken: Stretch[]; moved: Stretch[] };

/** `now`: the hour that runs is read as a whole, because it has no rows after the window. `starts`: of buckets, in order. */
export function windowEdges(from: number, until: number, now: number, starts: readonly number[] = []): WindowEdges {
  const isOpen = until > now;
  const first = hourOf(from);
  const last = isOpen ? hourOf(until + HOUR_END) : hourOf(until);
  if (last <= first) {
    return { from: first, until: first, added: until > from ? [{ from, until }] : [], taken: [], moved: [] };
  }
  const cuts = starts.length <= CUTS_MAX ? starts.filter((at) => at > from && at < last && at !== hourOf(at)) : [];
  return {
    from: first,
    until: last,
    added: last < until && !isOpen ? [{ from: last, until }] : [],
    taken: first < from ? [{ from: first, until: from }] : [],
    moved: cuts.map((at) => ({ from: Math.max(hourOf(at), from), until: at })),
  };
}

/**
 * The rows of a window's edges with the columns of usage_hourly, those taken away with negative sums, as an SQL fragment for a from
 * clause, or null for none; in an object, because a fragment that is awaited is a statement. `hour` is the minute of a row, or the last
 * second of the hour that it is taken from.
 */
export async function readEdges(
  sql: Sql,
  { added, taken, moved }: WindowEdges,
  owner: number | undefined,
  by: readonly MinuteColumn[],
): Promise<{ cut: MinuteRows | null }> {
  const names = by.filter((name) => name !== "hour");
  const read = await Promise.all(
    [added, taken, moved].map((stretches) =>
      stretches.length === 0 ? null : readMinutes(sql, { stretches, owner }, ["hour", ...names]),
    ),
  ).catch(withoutStore);
  const [plus, minus, both] = read ?? [];
  const parts = [
    plus && addedRows(sql, plus.rows),
    minus && takenRows(sql, minus.rows),
    both && movedRows(sql, both.rows, names),
  ].filter((part) => !!part);
  return {
    cut: parts.length === 0 ? null : sql`(${parts.reduce((all, part) => sql`${all} union all ${part}`)}) edges`,
  };
}

function addedRows(sql: Sql, rows: MinuteRows) {
  return sql`
    select hour, user_id, token_id, channel_id, model_name, "group", count, quota, prompt_tokens, completion_tokens, cost, unbilled_cost,
      unknown_costs
    from ${rows}`;
}

function takenRows(sql: Sql, rows: MinuteRows) {
  return sql`
    select hour - hour % ${HOUR} + ${HOUR_END} as hour, user_id, token_id, channel_id, model_name, "group", -count as count, -quota as quota,
      -prompt_tokens as prompt_tokens, -completion_tokens as completion_tokens, -cost as cost, -unbilled_cost as unbilled_cost,
      -unknown_costs as unknown_costs
    from ${rows}`;
}

const TEXTS: ReadonlySet<MinuteColumn> = new Set(["model_name", "group"]);

/** The rows of each hour are read and summed once, and then both added before the cut and taken from the sum of their hour. */
function movedRows(sql: Sql, rows: MinuteRows, names: readonly MinuteColumn[]) {
  const column = (name: MinuteColumn) =>
    names.includes(name) ? sql`${sql(name)}` : TEXTS.has(name) ? sql`null::text` : sql`null::int`;
  return sql`
    select case when sign > 0 then first else last end as hour, user_id, token_id, channel_id, model_name, "group", sign * count as count,
      sign * quota as quota, sign * prompt_tokens as prompt_tokens, sign * completion_tokens as completion_tokens, sign * cost as cost,
      sign * unbilled_cost as unbilled_cost, sign * unknown_costs as unknown_costs
    from (
      select min(hour) as first, hour - hour % ${HOUR} + ${HOUR_END} as last, ${column("user_id")} as user_id,
        ${column("token_id")} as token_id, ${column("channel_id")} as channel_id, ${column("model_name")} as model_name,
        ${column("group")} as "group", sum(count)::bigint as count, sum(quota)::bigint as quota,
        -- As in the sums of a log store, tokens are those of rows that count for use.
        coalesce(sum(prompt_tokens) filter (where count > 0 or quota <> 0), 0)::bigint as prompt_tokens,
        coalesce(sum(completion_tokens) filter (where count > 0 or quota <> 0), 0)::bigint as completion_tokens,
        sum(cost)::bigint as cost, sum(unbilled_cost)::bigint as unbilled_cost, sum(unknown_costs)::bigint as unknown_costs
      from ${rows} group by 2, 3, 4, 5, 6, 7) moved
    cross join (values (1), (-1)) as side (sign)`;
}

/** While the log store is away, hours count as a whole: sums of hours are shown all the same, and the page says that it is away. */
function withoutStore(error: unknown): null {
  if (error instanceof AppError && error.code === "unavailable") return null;
  throw error;
}

/** Where a window begins: with an hour of its time zone, or a minute. An unknown time zone is treated as UTC. */
export function startOfWindow({ from, granularity, timeZone }: Start): number {
  return granularity === "minute" ? from - (from % 60) : localHour(from, timeZone);
}

type Start = { from: number; granularity: Granularity; timeZone: string };

function localHour(seconds: number, timeZone: string): number {
  const format = (zone: string) =>
    new Intl.DateTimeFormat("en-GB", { timeZone: zone, minute: "2-digit", second: "2-digit" });
  let clock: Intl.DateTimeFormat;
  try {
    clock = format(timeZone);
  } catch {
    clock = format("UTC");
  }
  const [minutes = 0, rest = 0] = clock
    .format(seconds * 1_000)
    .split(":")
    .map(Number);
  return seconds - minutes * 60 - rest;
}
