import { startOfWeek } from "./local-day";

const DAY = 86_400;
const LENGTHS = { "15m": 900, "24h": DAY, "7d": 7 * DAY };

/** Periods that end now. A URL keeps the name, so that the period moves with the time. */
export const TIME_RANGES = ["15m", "24h", "7d", "week"] as const;
export type TimeRange = (typeof TIME_RANGES)[number];

/** Unix seconds, both inclusive; null = open. */
export type Times = { start: number | null; end: number | null };

/** What the time filter means now. A start or end of its own takes precedence over a named period. */
export function resolveTimes(
  { range, start, end }: Times & { range: TimeRange | null },
  nowSeconds: number,
  timeZone: string,
): Times {
  if (range === null || start !== null || end !== null) return { start, end };
  if (range === "week") return { start: startOfWeek(nowSeconds, timeZone), end: null };
  return { start: nowSeconds - LENGTHS[range], end: null };
}
