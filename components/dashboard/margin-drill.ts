import type { Route } from "next";
import type { MarginDimension, MarginReport, MarginRow } from "@/lib/statistics/margin-types";

type Window = MarginReport["window"];

/** All types of rows: requests that failed have costs too. */
function logHref(start: number, end: number, filters: Record<string, string>): Route {
  return `/log?${new URLSearchParams({ start: String(start), end: String(end), ...filters })}` as Route;
}

/** The log rows of a bucket. */
export function marginBucketHref({ window, buckets }: MarginReport, place: number): Route {
  const start = Math.max(window.from, buckets[place] ?? window.from);
  const end = Math.min(window.until, buckets[place + 1] ?? window.until) - 1;
  return logHref(start, end, {});
}

/** The log rows of a table row, or those with a cost that nobody was charged for. Null if the log has no such filter. */
export function marginHref(window: Window, dimension: "unbilled"): Route;
export function marginHref(window: Window, dimension: MarginDimension, row: MarginRow): Route | null;
export function marginHref(window: Window, dimension: MarginDimension | "unbilled", row?: MarginRow): Route | null {
  const filters = dimension === "unbilled" ? { unbilled: "true" } : row ? filtersOf(dimension, row) : null;
  return filters && logHref(window.from, window.until - 1, filters);
}

function filtersOf(dimension: MarginDimension, row: MarginRow): Record<string, string> | null {
  switch (dimension) {
    case "model":
      return row.key === "" ? null : { model: row.key };
    case "channel":
      return row.key === "0" ? null : { channel: row.key };
    case "token":
      return row.label === "" ? null : { token: row.label, ...(row.owner ? { username: row.owner } : {}) };
  }
}
