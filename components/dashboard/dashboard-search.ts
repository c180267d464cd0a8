import { parseAsInteger, parseAsString, parseAsStringLiteral } from "nuqs/server";
import { DIMENSIONS, GRANULARITIES } from "@/lib/usage/schemas";

/** The URL contract of the dashboard; times are unix seconds. What is left out is up to the settings and the browser. */
export const dashboardParams = {
  start: parseAsInteger,
  end: parseAsInteger,
  by: parseAsStringLiteral(GRANULARITIES),
  zone: parseAsString,
  username: parseAsString.withDefault(""),
  split: parseAsStringLiteral(DIMENSIONS).withDefault("model"),
};

/** Where the browser's time zone is remembered, so that the server knows it. */
export const ZONE_COOKIE = "time-zone";
