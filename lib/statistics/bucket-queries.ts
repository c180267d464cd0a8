import type { Sql } from "@/db/client";
import { firstMidnights } from "@/lib/local-day";
import { type Granularity, stepOf } from "./types";

/**
 * Start times (unix seconds) of all minutes, hours, days or ISO weeks that overlap a window, in order and without a gap. Days
 * and weeks begin at midnight of the time zone, so a day may have 23 or 25 hours. The first hour begins with the window.
 */
export async function listBuckets(
  sql: Sql,
  { from, until, granularity, timeZone }: { from: number; until: number; granularity: Granularity; timeZone: string },
): Promise<number[]> {
  if (granularity === "hour" || granularity === "minute") {
    const step = stepOf(granularity);
    const first = from - (from % step);
    const starts = Array.from({ length: Math.max(0, Math.ceil((until - first) / step)) }, (_, i) => first + i * step);
    // Hours are those of the sums: a window that begins within one has a shorter first bar.
    return starts.map((start) => Math.max(start, from));
  }
  const rows = await sql<{ start: number }[]>`
    select extract(epoch from (local at time zone ${timeZone}))::bigint as start
    from generate_series(
      date_trunc(${granularity}, to_timestamp(${from}::bigint) at time zone ${timeZone}),
      to_timestamp(${until - 1}::bigint) at time zone ${timeZone},
      ${granularity === "day" ? "1 day" : "7 days"}::interval
    ) as local
    order by 1`;
  return firstMidnights(
    rows.map(({ start }) => start),
    timeZone,
  );
}
