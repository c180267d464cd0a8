import { addBuckets, percentile } from "./buckets";
import type { Health, HealthRow } from "./types";

/** Outcomes that do not count against the channel. */
const NOT_THE_CHANNELS_FAULT = new Set(["ok", "gone", "request", "hedged"]);

/** Latencies come from successful attempts only: a quick refusal would make a channel look fast. */
export function summariseHealth(rows: readonly HealthRow[]): Health {
  let [requests, succeeded, quota, badEvents] = [0, 0, 0, 0];
  let latency: number[] = [];
  let firstToken: number[] = [];
  const causes = new Map<string, number>();
  for (const row of rows) {
    requests += row.count;
    quota += row.quota;
    badEvents += row.badEvents;
    if (NOT_THE_CHANNELS_FAULT.has(row.outcome)) succeeded += row.count;
    if (row.outcome !== "ok") causes.set(row.outcome, (causes.get(row.outcome) ?? 0) + row.count);
    else {
      latency = addBuckets(latency, row.latencyBuckets);
      firstToken = addBuckets(firstToken, row.firstTokenBuckets);
    }
  }
  return {
    requests,
    succeeded,
    failed: requests - succeeded,
    successRate: requests === 0 ? null : succeeded / requests,
    p50Ms: percentile(latency, 0.5),
    p95Ms: percentile(latency, 0.95),
    firstTokenP50Ms: percentile(firstToken, 0.5),
    firstTokenP95Ms: percentile(firstToken, 0.95),
    quota,
    badEvents,
    causes: [...causes].map(([outcome, count]) => ({ outcome, count })).sort((a, b) => b.count - a.count),
  };
}
