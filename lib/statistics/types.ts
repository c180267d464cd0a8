import type { Dimension, Granularity } from "./dimensions";

/** Metered consumption of a model in an hour. */
export type HourlyUsage = {
  modelName: string;
  /** Start of the hour, unix seconds. */
  hour: number;
  count: number;
  quota: number;
  tokens: number;
};

export type UsageTotals = { quota: number; count: number; tokens: number };

/** A model's total consumption and its consumption per bucket; `name` null = all models that are not listed. */
export type ModelSeries = UsageTotals & { name: string | null; points: UsageTotals[] };

/** A row of the breakdown: a label, and the key that filters the log. */
export type BreakdownRow = UsageTotals & {
  key: string;
  label: string;
  /** The owner of a token, for administrators. */
  owner: string;
};

export type Dashboard = {
  window: { from: number; until: number; granularity: Granularity; timeZone: string };
  /** Starts of the buckets, unix seconds, without a gap. */
  buckets: number[];
  totals: UsageTotals;
  /** The previous window of the same length. */
  previous: UsageTotals;
  /** The previous window, divided like the buckets: each part is one window length before its bucket. */
  before: UsageTotals[];
  /** Elapsed minutes of the window. */
  minutes: number;
  models: ModelSeries[];
  breakdown: { dimension: Dimension; rows: BreakdownRow[]; rest: UsageTotals };
  /** Time of the query, unix seconds; every charge until then is included. */
  readAt: number;
};
