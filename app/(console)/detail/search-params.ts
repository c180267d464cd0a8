import { cookies } from "next/headers";
import { createLoader, type SearchParams } from "nuqs/server";
import { dashboardParams, ZONE_COOKIE } from "@/components/dashboard/dashboard-search";
import { type Granularity, isTimeZone } from "@/lib/statistics/schemas";

const DAY = 86_400;
/** How far back the default window of each granularity starts, in seconds (console §2.24). */
const BEHIND: Record<Granularity, number> = { hour: DAY, day: 7 * DAY, week: 30 * DAY };
const AHEAD = 3_600;
const MINUTE = 60;

const load = createLoader(dashboardParams);

/** Reads window, granularity and time zone from the URL. Fallbacks: the default granularity option, the browser's time zone. */
export async function loadDashboardSearch(searchParams: Promise<SearchParams>, now: number, usual: Granularity) {
  const [params, jar] = await Promise.all([load(searchParams), cookies()]);
  const granularity = params.by ?? usual;
  const remembered = decodeURIComponent(jar.get(ZONE_COOKIE)?.value ?? "");
  const timeZone = [params.zone ?? "", remembered].find(isTimeZone) ?? "UTC";
  const minute = now - (now % MINUTE);
  const until = params.end ?? minute + AHEAD;
  const from = params.start ?? Math.min(minute, until) - BEHIND[granularity];
  const isZoneKnown = isTimeZone(params.zone ?? "") || isTimeZone(remembered);
  const { username, split, margin } = params;
  return { from, until, granularity, timeZone, isZoneKnown, username: username.trim(), dimension: split, margin };
}
