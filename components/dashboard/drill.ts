import type { Route } from "next";
import { LOG_TYPE } from "@/lib/row-status";
import type { BreakdownRow, Dashboard } from "@/lib/statistics/types";

type Filters = {
  start: number;
  end: number;
  username?: string;
  model?: string;
  token?: string;
  group?: string;
  channel?: string;
};

function logHref({ start, end, ...texts }: Filters): Route {
  const query = new URLSearchParams({ type: String(LOG_TYPE.consume), start: String(start), end: String(end) });
  for (const [name, value] of Object.entries(texts)) if (value) query.set(name, value);
  return `/log?${query}` as Route;
}

/** Link to the log rows of a bucket, for one model or all (null); `username` is the user filter of the page. */
export function bucketHref(
  { window, buckets }: Dashboard,
  place: number,
  model: string | null,
  username: string,
): Route {
  const start = Math.max(window.from, buckets[place] ?? window.from);
  const end = Math.min(window.until, buckets[place + 1] ?? window.until) - 1;
  return logHref({ start, end, username, ...(model === null ? {} : { model }) });
}

/** Link to the log rows of the whole window, for one model or all (null). */
export function modelHref({ window }: Dashboard, model: string | null, username: string): Route {
  return logHref({ start: window.from, end: window.until - 1, username, ...(model === null ? {} : { model }) });
}

/** Link to the log rows of a breakdown row; null if the log cannot be filtered by it. */
export function breakdownHref({ window, breakdown }: Dashboard, row: BreakdownRow, username: string): Route | null {
  const within = { start: window.from, end: window.until - 1, username };
  switch (breakdown.dimension) {
    case "model":
      return logHref({ ...within, model: row.key });
    case "group":
      return row.key === "" ? null : logHref({ ...within, group: row.key });
    case "channel":
      return row.key === "0" ? null : logHref({ ...within, channel: row.key });
    case "user":
      return row.label === "" ? null : logHref({ ...within, username: row.label });
    case "token":
      return row.label === "" ? null : logHref({ ...within, username: row.owner || username, token: row.label });
  }
}
