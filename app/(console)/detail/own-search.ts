import type { DashboardSearch } from "@/lib/statistics/schemas";
import { ADMIN_DIMENSIONS } from "@/lib/statistics/types";
import type { loadDashboardSearch } from "./search-params";

/** An ordinary user who opens an administrator's link gets only their own figures and dimensions. */
export function toOwnSearch(
  { from, until, granularity, timeZone, username, dimension }: Awaited<ReturnType<typeof loadDashboardSearch>>,
  isAdmin: boolean,
): DashboardSearch {
  return {
    from,
    until,
    granularity,
    timeZone,
    scope: isAdmin ? "all" : "own",
    username: isAdmin ? username : "",
    dimension: isAdmin || !ADMIN_DIMENSIONS.includes(dimension) ? dimension : "model",
  };
}
