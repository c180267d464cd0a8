import type { Granularity } from "./types";

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

export const NO_MARGIN: MarginTotals = { count: 0, sold: 0, bought: 0, unbilled: 0, unknown: 0 };

/** What a channel's upstream takes: a factor on the list prices, and prices of its own. Null = it cannot be read. */
export type ChannelTerms = { factor: number | null; ownPrices: number };

/** A channel, model, user, API key or day; `key` filters the log. */
export type MarginRow = MarginTotals & {
  /** Of a day: its start, unix seconds. */
  key: string;
  /** Of a day: its date in the time zone of the window. */
  label: string;
  /** The owner of an API key. */
  owner: string;
  /** Only of a channel that is still there. */
  terms?: ChannelTerms;
};

export const MARGIN_DIMENSIONS = ["channel", "model", "user", "token", "day"] as const;
export type MarginDimension = (typeof MARGIN_DIMENSIONS)[number];

export type MarginWindow = { from: number; until: number; granularity: Granularity; timeZone: string };

export type MarginReport = {
  window: MarginWindow;
  /** Starts of the buckets, unix seconds, without a gap. */
  buckets: number[];
  points: MarginTotals[];
  totals: MarginTotals;
  dimension: MarginDimension;
  /** Those that sold or cost most; days from the last to the first. */
  rows: MarginRow[];
  /** All others together. */
  rest: MarginTotals;
};

/** A model at a channel that costs more than it brings in. */
export type LossRow = MarginTotals & { channelId: number; channelName: string; modelName: string };

export type LossReport = {
  /** The window, whose beginning is rounded and which ends now at the latest; unix seconds. */
  from: number;
  until: number;
  /** Largest loss first. */
  rows: LossRow[];
  /** Of all, also those that are not listed. */
  count: number;
  loss: number;
};

/** Nothing of the cost is known: then it is "unknown", not 0. */
export const isCostUnknown = ({ bought, unknown }: MarginTotals): boolean => bought === 0 && unknown > 0;
