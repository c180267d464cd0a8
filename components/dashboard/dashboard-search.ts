import { parseAsBoolean, parseAsInteger, parseAsString, parseAsStringLiteral } from "nuqs/server";
import { DIMENSIONS, GRANULARITIES } from "@/lib/statistics/schemas";

/** The URL contract of the dashboard; times are unix seconds. What is left out is up to the settings and the browser. */
export const dashboardParams = {
  start: parseAsInteger,
  end: parseAsInteger,
  by: parseAsStringLiteral(GRANULARITIES),
  zone: parseAsString,
  username: parseAsString.withDefault(""),
  split: parseAsStringLiteral(DIMENSIONS).withDefault("model"),
};

export const METRICS = ["quota", "count", "tokens"] as const;
export type Metric = (typeof METRICS)[number];

/** How the chart over time is shown; the server has no part in it. */
export const chartParams = {
  metric: parseAsStringLiteral(METRICS).withDefault("quota"),
  view: parseAsStringLiteral(["chart", "table"]).withDefault("chart"),
  compare: parseAsBoolean.withDefault(false),
  running: parseAsBoolean.withDefault(false),
};

/** Where the browser's time zone is remembered, so that the server knows it. */
export const ZONE_COOKIE = "time-zone";
