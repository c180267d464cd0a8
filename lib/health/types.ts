/** Attempts at one channel within one hour, for one model and outcome. */
export type HealthRow = {
  channelId: number;
  hour: number;
  modelName: string;
  /** ok | usage | cut | gone | refused | limited | timeout | request | failed */
  outcome: string;
  count: number;
  quota: number;
  useTimeMs: number;
  latencyBuckets: number[];
  firstTokenBuckets: number[];
  /** Unreadable events that were left out of answers. */
  badEvents: number;
};

export type Health = {
  requests: number;
  /** Attempts without a failure of the channel: it answered, the client disconnected, or the request was invalid. */
  succeeded: number;
  failed: number;
  /** 0–1; null without requests. */
  successRate: number | null;
  p50Ms: number | null;
  p95Ms: number | null;
  firstTokenP50Ms: number | null;
  firstTokenP95Ms: number | null;
  quota: number;
  badEvents: number;
  /** Unsuccessful outcomes, most frequent first. */
  causes: { outcome: string; count: number }[];
};
