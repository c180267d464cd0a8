export const GRANULARITIES = ["minute", "hour", "day", "week"] as const;
export type Granularity = (typeof GRANULARITIES)[number];

/** What a window is rounded down to: minutes are read from the log, everything longer from the hourly sums. */
export const stepOf = (granularity: Granularity): number => (granularity === "minute" ? 60 : 3_600);

export const DIMENSIONS = ["model", "token", "group", "user", "channel"] as const;
export type Dimension = (typeof DIMENSIONS)[number];
/** Dimensions that only administrators may use. */
export const ADMIN_DIMENSIONS: readonly Dimension[] = ["user", "channel"];

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
