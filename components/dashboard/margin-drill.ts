import type { Route } from "next";
import type { LossReport, LossRow, MarginDimension, MarginReport, MarginRow } from "@/lib/statistics/margin-types";

import { fromZonedField } from "./zone";

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

/** The log rows of a model at a channel. */
export function lossHref({ from, until }: LossReport, { channelId, modelName }: LossRow): Route {
  return logHref(from, until - 1, { channel: String(channelId), model: modelName });
}

/** The log rows of a table row, or those with a cost that nobody was charged for. Null if the log has no such filter. */
export function marginHref(window: Window, dimension: "unbilled"): Route;
export function marginHref(window: Window, dimension: MarginDimension, row: MarginRow): Route | null;
export function marginHref(window: Window, dimension: MarginDimension | "unbilled", row?: MarginRow): Route | null {
  if (dimension === "unbilled" || !row) return logHref(window.from, window.until - 1, { unbilled: "true" });
  if (dimension === "day") return dayHref(window, row);
  const filters = filtersOf(dimension, row);
  return filters && logHref(window.from, window.until - 1, filters);
}

/** The log rows of a day, which may have 23 or 25 hours. */
function dayHref(window: Window, { key, label }: MarginRow): Route {
  const start = Number(key);
  const next = new Date(`${label}T00:00:00Z`);
  next.setUTCDate(next.getUTCDate() + 1);
  const end = fromZonedField(`${next.toISOString().slice(0, 10)}T00:00`, window.timeZone) ?? window.until;
  return logHref(Math.max(window.from, start), Math.min(window.until, end) - 1, {});
}

function filtersOf(dimension: Exclude<MarginDimension, "day">, row: MarginRow): Record<string, string> | null {
  switch (dimension) {
    case "model":
      return row.key === "" ? null : { model: row.key };
    case "channel":
      return row.key === "0" ? null : { channel: row.key };
    case "user":
      return row.label === "" ? null : { username: row.label };
    case "token":
      return row.label === "" ? null : { token: row.label, ...(row.owner ? { username: row.owner } : {}) };
  }
}
