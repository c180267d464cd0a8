import type { Granularity } from "@/lib/statistics/types";
import { fromZonedField, toZonedField } from "./zone";

/** The windows to choose from, as they stand in the URL: ?range=24h. */
export const RANGES = ["15m", "24h", "7d", "week", "month"] as const;
export type Range = (typeof RANGES)[number];

const MINUTE = 60;
const HOUR = 3_600;
const DAY = 86_400;

/** How far back the rolling windows go, in seconds. */
const BEHIND = { "15m": 15 * MINUTE, "24h": DAY, "7d": 7 * DAY } as const;

/** How each window is divided unless something else is chosen. */
export const USUAL_GRANULARITY: Record<Range, Granularity> = {
  "15m": "minute",
  "24h": "hour",
  "7d": "day",
  week: "day",
  month: "day",
};

/** Start and end (exclusive) of a window in unix seconds. Weeks begin on Monday; both they and months in the time zone. */
export function windowOf(range: Range, now: number, timeZone: string): { from: number; until: number } {
  const until = now - (now % MINUTE) + MINUTE;
  if (range !== "week" && range !== "month") return { from: until - MINUTE - BEHIND[range], until };
  const [date = ""] = toZonedField(now, timeZone).split("T");
  const first = range === "month" ? `${date.slice(0, 8)}01` : mondayOf(date);
  return { from: fromZonedField(`${first}T00:00`, timeZone) ?? until - DAY, until };
}

/** The Monday of the week of a date (yyyy-MM-dd). */
function mondayOf(date: string): string {
  const day = new Date(`${date}T00:00:00Z`);
  day.setUTCDate(day.getUTCDate() - ((day.getUTCDay() + 6) % 7));
  return day.toISOString().slice(0, 10);
}

/** The window of a granularity where no range and no time is chosen (console §2.24). */
export function usualWindow(granularity: Granularity, now: number): { from: number; until: number } {
  const until = now - (now % MINUTE) + MINUTE;
  const behind: Record<Granularity, number> = { minute: BEHIND["15m"], hour: DAY, day: 7 * DAY, week: 30 * DAY };
  return { from: until - MINUTE - behind[granularity], until };
}

/** Minutes are read from the log, so that only a short window can be divided by them. */
export const MINUTES_MAX_SECONDS = 2 * HOUR;
