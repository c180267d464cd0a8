import { parseAsBoolean, parseAsInteger, parseAsString, parseAsStringLiteral } from "nuqs/server";
import { MARGIN_DIMENSIONS } from "@/lib/statistics/margin-types";
import { type Dashboard, DIMENSIONS, GRANULARITIES } from "@/lib/statistics/types";
import { RANGES } from "./ranges";

/** The URL parameters of the dashboard; times are unix seconds. Missing values default to the settings and the browser. */
export const dashboardParams = {
  range: parseAsStringLiteral(RANGES),
  start: parseAsInteger,
  end: parseAsInteger,
  by: parseAsStringLiteral(GRANULARITIES),
  zone: parseAsString,
  username: parseAsString.withDefault(""),
  split: parseAsStringLiteral(DIMENSIONS).withDefault("model"),
  /** What sold and bought are broken down by; for administrators. */
  margin: parseAsStringLiteral(MARGIN_DIMENSIONS).withDefault("channel"),
};

export const METRICS = ["quota", "count", "tokens"] as const;
export type Metric = (typeof METRICS)[number];

/** How the chart is displayed; only used in the browser. */
export const chartParams = {
  metric: parseAsStringLiteral(METRICS).withDefault("quota"),
  view: parseAsStringLiteral(["chart", "table"]).withDefault("chart"),
  compare: parseAsBoolean.withDefault(false),
  running: parseAsBoolean.withDefault(false),
};

/** The part of the dashboard to export, as the query of /detail/export. */
export function exportQuery(window: Dashboard["window"], table: string, more: Record<string, string> = {}): string {
  const { from, until, granularity, timeZone } = window;
  const given = Object.entries(more).filter(([, value]) => value !== "");
  const query = { table, start: String(from), end: String(until), by: granularity, zone: timeZone };
  return new URLSearchParams({ ...query, ...Object.fromEntries(given) }).toString();
}
