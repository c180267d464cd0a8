import type { Granularity } from "./schemas";

/** What was sold and what it cost, in quota. */
export type MarginTotals = {
  /** Requests that were served. */
  count: number;
  sold: number;
  /** What the upstreams should bill, as far as known. */
  bought: number;
  /** The part of `bought` for which nobody is charged. */
  unbilled: number;
  /** Attempts whose cost is not known, so that `bought` is too low. */
  unknown: number;
};

/** A channel, model or API key; `key` filters the log. */
export type MarginRow = MarginTotals & {
  key: string;
  label: string;
  /** The owner of an API key. */
  owner: string;
};

export const MARGIN_DIMENSIONS = ["channel", "model", "token"] as const;
export type MarginDimension = (typeof MARGIN_DIMENSIONS)[number];

export type MarginReport = {
  window: { from: number; until: number; granularity: Granularity; timeZone: string };
  /** Starts of the buckets, unix seconds, without a gap. */
  buckets: number[];
  points: MarginTotals[];
  totals: MarginTotals;
  dimension: MarginDimension;
  /** Those that sold or cost most. */
  rows: MarginRow[];
  /** All others together. */
  rest: MarginTotals;
};
