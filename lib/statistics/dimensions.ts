export const GRANULARITIES = ["minute", "hour", "day", "week"] as const;
export type Granularity = (typeof GRANULARITIES)[number];

/** What a window is rounded down to: minutes are read from the log, everything longer from the hourly sums. */
export const stepOf = (granularity: Granularity): number => (granularity === "minute" ? 60 : 3_600);

export const DIMENSIONS = ["model", "token", "group", "user", "channel"] as const;
export type Dimension = (typeof DIMENSIONS)[number];
/** Dimensions that only administrators may use. */
export const ADMIN_DIMENSIONS: readonly Dimension[] = ["user", "channel"];
