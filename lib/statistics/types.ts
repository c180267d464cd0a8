import type { Dimension, Granularity } from "./schemas";

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

/** A model's consumption, in all and per bucket; `name` null = all models that are not listed. */
export type ModelSeries = UsageTotals & { name: string | null; points: UsageTotals[] };

/** A part of the consumption: who or what it was, by name and by what the log is filtered with. */
export type BreakdownRow = UsageTotals & {
  key: string;
  label: string;
  /** Whose token it is, for administrators. */
  owner: string;
};

export type Dashboard = {
  window: { from: number; until: number; granularity: Granularity; timeZone: string };
  /** Starts of the buckets, unix seconds, without a gap. */
  buckets: number[];
  totals: UsageTotals;
  /** The same span just before. */
  previous: UsageTotals;
  /** The span before in as many parts as there are buckets, each as far before its bucket as the span is long. */
  before: UsageTotals[];
  /** Minutes of the window that are over. */
  minutes: number;
  models: ModelSeries[];
  breakdown: { dimension: Dimension; rows: BreakdownRow[]; rest: UsageTotals };
  /** When it was read, unix seconds; it holds every charge until then. */
  readAt: number;
};
