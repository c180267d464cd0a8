import { z } from "zod";
import { DIMENSIONS, GRANULARITIES } from "./types";

/** Longest window for an ordinary user (contract §1.12). */
export const OWN_WINDOW_SECONDS = 2_592_000;
/** Longest window for administrators: what the hourly sums can answer quickly. */
export const WINDOW_SECONDS_MAX = 366 * 86_400;
/** Longest window by hour: more bars would be unreadable. */
export const HOURLY_WINDOW_SECONDS = 31 * 86_400;
/** Longest window by minute: it is read from the log itself, not from sums. */
export const MINUTE_WINDOW_SECONDS = 7_200;

const moment = z.number("timeRangeInvalid").int("timeRangeInvalid").min(0, "timeRangeInvalid");

export const usageWindowSchema = z
  .object({
    /** "all" is for administrators. */
    scope: z.enum(["all", "own"]),
    from: moment,
    until: moment,
    username: z.string().trim().max(64).optional(),
  })
  .refine(({ from, until }) => until >= from, { message: "timeRangeInvalid" });
export type UsageWindow = z.input<typeof usageWindowSchema>;

export const dashboardSchema = z
  .object({
    /** "all" is for administrators. */
    scope: z.enum(["all", "own"]),
    /** Unix seconds; `from` is rounded down to the hour of the time zone, or the minute by minute; `until` is exclusive. */
    from: moment,
    until: moment,
    granularity: z.enum(GRANULARITIES),
    /** IANA name; days and weeks begin at midnight there. */
    timeZone: z.string().refine(isTimeZone, "timeZoneUnknown"),
    dimension: z.enum(DIMENSIONS),
    username: z.string().trim().max(64).optional(),
  })
  .refine(({ from, until }) => until > from, { message: "timeRangeInvalid" });
export type DashboardSearch = z.input<typeof dashboardSchema>;
export type ParsedDashboardSearch = z.output<typeof dashboardSchema>;

/** Whether it names a time zone. Numeric offsets are refused: databases and browsers interpret their sign in opposite ways. */
export function isTimeZone(name: string): boolean {
  if (name === "UTC") return true;
  if (name.length > 64 || !/^[A-Za-z_]+(\/[A-Za-z0-9_+-]+)+$/.test(name)) return false;
  try {
    new Intl.DateTimeFormat("en", { timeZone: name });
    return true;
  } catch {
    return false;
  }
}
