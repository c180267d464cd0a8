/** What channels did in a window: how many tries, how they ended, how long they took, what they brought. */
export type HealthRow = {
  channelId: number;
  /** Start of the hour, unix seconds. */
  hour: number;
  modelName: string;
  /** ok | cut | gone | refused | limited | timeout | request | failed */
  outcome: string;
  count: number;
  quota: number;
  useTimeMs: number;
  latencyBuckets: number[];
  firstTokenBuckets: number[];
};

export type Health = {
  requests: number;
  /** Tries that ended through no fault of the channel's: a caller that hung up, a request that was wrong. */
  succeeded: number;
  failed: number;
  /** 0–1; null without requests. */
  successRate: number | null;
  p50Ms: number | null;
  p95Ms: number | null;
  firstTokenP50Ms: number | null;
  firstTokenP95Ms: number | null;
  quota: number;
  /** Failures by cause, most frequent first. */
  causes: { outcome: string; count: number }[];
};
