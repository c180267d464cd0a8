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
 * A window as whole hours, from the sums, and the rows of parts of an hour: those to add, and those to take away from the sum of their
 * hour. Days begin within an hour where a time zone is half an hour or a quarter off. Unix seconds, ends exclusive.
 *
 * A cut hour counts after the cut, less its rows before it. So windows that follow each other add up to their hours, also where the
 * log was cleared.
 */
export type WindowEdges = { from: number; until: number; added: Stretch[]; taken: Stretch[] };

/** `now`: the hour that runs is read as a whole, because it has no rows after the window. `starts`: of buckets, in order. */
export function windowEdges(from: number, until: number, now: number, starts: readonly number[] = []): WindowEdges {
  const isOpen = until > now;
  const first = hourOf(from);
  const last = isOpen ? hourOf(until + HOUR_END) : hourOf(until);
  if (last <= first) {
    return { from: first, until: first, added: until > from ? [{ from, until }] : [], taken: [] };
  }
  const cuts = starts.length <= CUTS_MAX ? starts.filter((at) => at > from && at < last && at !== hourOf(at)) : [];
  const moved = cuts.map((at) => ({ from: Math.max(hourOf(at), from), until: at }));
  return {
    from: first,
    until: last,
    added: [...moved, ...(last < until && !isOpen ? [{ from: last, until }] : [])],
    taken: [...(first < from ? [{ from: first, until: from }] : []), ...moved],
  };
}

/**
 * The rows of a window's edges with the columns of usage_hourly, those taken away with negative sums, as an SQL fragment for a from
 * clause, or null for none; in an object, because a fragment that is awaited is a statement. `hour` is the minute of a row, or the last
 * second of the hour that it is taken from.
 */
export async function readEdges(
  sql: Sql,
  { added, taken }: WindowEdges,
  owner: number | undefined,
  by: readonly MinuteColumn[],
): Promise<{ cut: MinuteRows | null }> {
  const columns = ["hour" as const, ...by.filter((name) => name !== "hour")];
  const both = await Promise.all(
    [added, taken].map((stretches) =>
      stretches.length === 0 ? null : readMinutes(sql, { stretches, owner }, columns),
    ),
  ).catch(withoutStore);
  if (both === null) return { cut: null };
  const [plus, minus] = both;
  const names = sql`user_id, token_id, channel_id, model_name, "group"`;
  const more =
    plus &&
    sql`
    select hour, ${names}, count, quota, prompt_tokens, completion_tokens, cost, unbilled_cost, unknown_costs from ${plus.rows}`;
  const less =
    minus &&
    sql`
    select hour - hour % ${HOUR} + ${HOUR_END} as hour, ${names}, -count as count, -quota as quota, -prompt_tokens as prompt_tokens,
      -completion_tokens as completion_tokens, -cost as cost, -unbilled_cost as unbilled_cost, -unknown_costs as unknown_costs
    from ${minus.rows}`;
  if (more && less) return { cut: sql`(${more} union all ${less}) edges` };
  const only = more ?? less;
  return { cut: only ? sql`(${only}) edges` : null };
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
