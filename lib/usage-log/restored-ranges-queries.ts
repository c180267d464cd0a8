import type { Sql } from "@/db/client";
import { nowSeconds } from "@/lib/clock";
import { gapsIn, type LogRange } from "./log-ranges";

/** The parts of a range that may be cleared: not those whose rows were restored to be looked at, until their time is over. */
export async function clearableRanges(sql: Sql, range: LogRange): Promise<LogRange[]> {
  const kept = await sql<LogRange[]>`
    select from_time as start, until_time as end from log_restores
    where keep_until > ${nowSeconds()} and from_time < ${range.end} and until_time > ${range.start}`;
  return gapsIn(range, kept);
}
