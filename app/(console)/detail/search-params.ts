import { cookies } from "next/headers";
import { createLoader, type SearchParams } from "nuqs/server";
import { dashboardParams } from "@/components/dashboard/dashboard-search";
import {
  MINUTES_MAX_SECONDS,
  type Range,
  USUAL_GRANULARITY,
  usualWindow,
  windowOf,
} from "@/components/dashboard/ranges";
import { TIME_ZONE_COOKIE } from "@/components/shell/cookies";
import { isTimeZone } from "@/lib/statistics/schemas";
import type { Granularity } from "@/lib/statistics/types";

/** The range that the default window of a granularity is. */
const USUAL_RANGES: Partial<Record<Granularity, Range>> = { minute: "15m", hour: "24h", day: "7d" };

const load = createLoader(dashboardParams);

/**
 * Reads window, granularity and time zone from the URL. A range counts before start and end. Fallbacks: the default
 * granularity option with its window, the browser's time zone.
 */
export async function loadDashboardSearch(searchParams: Promise<SearchParams>, now: number, usual: Granularity) {
  const [params, jar] = await Promise.all([load(searchParams), cookies()]);
  const { start, end, username, split, margin } = params;
  const remembered = decodeURIComponent(jar.get(TIME_ZONE_COOKIE)?.value ?? "");
  const timeZone = [params.zone ?? "", remembered].find(isTimeZone) ?? "UTC";
  const chosen = params.by ?? (params.range ? USUAL_GRANULARITY[params.range] : usual);
  const isUsual = params.range === null && start === null && end === null;
  const range = isUsual ? (USUAL_RANGES[chosen] ?? null) : params.range;
  const fallback = usualWindow(chosen, now);
  const last = end ?? fallback.until;
  const window = range
    ? windowOf(range, now, timeZone)
    : { from: start ?? last - (fallback.until - fallback.from), until: last };
  const isShort = window.until - window.from <= MINUTES_MAX_SECONDS;
  const granularity = range === "15m" ? "minute" : chosen === "minute" && !isShort ? "hour" : chosen;
  const isZoneKnown = isTimeZone(params.zone ?? "") || isTimeZone(remembered);
  const search = { ...window, granularity, timeZone, isZoneKnown };
  return { ...search, range, username: username.trim(), dimension: split, margin };
}
