import type { Granularity } from "@/lib/statistics/types";

const WEEK_DAYS = 6.5 * 86_400;

type Parts = Record<"year" | "month" | "day" | "hour" | "minute", string>;

function partsOf(seconds: number, timeZone: string): Parts {
  const format = new Intl.DateTimeFormat("en-CA", {
    timeZone,
    year: "numeric",
    month: "2-digit",
    day: "2-digit",
    hour: "2-digit",
    minute: "2-digit",
    hourCycle: "h23",
  });
  const found: Partial<Record<string, string>> = {};
  for (const { type, value } of format.formatToParts(seconds * 1000)) found[type] = value;
  const { year = "", month = "", day = "", hour = "", minute = "" } = found;
  return { year, month, day, hour, minute };
}

/** Unix seconds as yyyy-MM-ddTHH:mm in a time zone. */
export function toZonedField(seconds: number, timeZone: string): string {
  const { year, month, day, hour, minute } = partsOf(seconds, timeZone);
  return `${year}-${month}-${day}T${hour}:${minute}`;
}

/**
 * Converts yyyy-MM-ddTHH:mm in a time zone to unix seconds; null if it is no date. A time skipped by
 * daylight saving moves one hour forward.
 */
export function fromZonedField(text: string, timeZone: string): number | null {
  const asUtc = Math.floor(Date.parse(`${text}Z`) / 1000);
  if (Number.isNaN(asUtc)) return null;
  const offsetAt = (seconds: number) =>
    Math.floor(Date.parse(`${toZonedField(seconds, timeZone)}Z`) / 1000) - seconds + (seconds % 60);
  const guess = asUtc - offsetAt(asUtc);
  return asUtc - offsetAt(guess);
}

/** Axis label of a bucket (console §1.3): HH:mm, MM-DD HH:mm, MM-DD, or the first and last day of a week. */
export function bucketLabel(start: number, granularity: Granularity, timeZone: string): string {
  const { month, day, hour, minute } = partsOf(start, timeZone);
  if (granularity === "minute") return `${hour}:${minute}`;
  if (granularity === "hour") return `${month}-${day} ${hour}:${minute}`;
  if (granularity === "day") return `${month}-${day}`;
  const last = partsOf(start + WEEK_DAYS, timeZone);
  return `${month}-${day} - ${last.month}-${last.day}`;
}
