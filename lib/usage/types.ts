/** Metered consumption of a model in an hour. */
export type HourlyUsage = {
  modelName: string;
  /** Start of the hour, unix seconds. */
  hour: number;
  count: number;
  quota: number;
  tokens: number;
};
