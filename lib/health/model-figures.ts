import { percentile } from "./buckets";

/** Below this number of requests there is no rate and no percentile. */
export const REQUESTS_MIN = 20;

/** How requests to a model went in a window, without saying how many there were. Null = not enough of them. */
export type ModelFigures = {
  /** 0–1: the share of requests that were answered. */
  uptime: number | null;
  p50Ms: number | null;
  p95Ms: number | null;
  firstTokenP50Ms: number | null;
  firstTokenP95Ms: number | null;
};

export type ModelSums = { succeeded: number; failed: number; latencyBuckets: number[]; firstTokenBuckets: number[] };

export function toModelFigures({ succeeded, failed, latencyBuckets, firstTokenBuckets }: ModelSums): ModelFigures {
  const requests = succeeded + failed;
  const of = (buckets: number[], share: number) => (succeeded < REQUESTS_MIN ? null : percentile(buckets, share));
  return {
    uptime: requests < REQUESTS_MIN ? null : succeeded / requests,
    p50Ms: of(latencyBuckets, 0.5),
    p95Ms: of(latencyBuckets, 0.95),
    firstTokenP50Ms: of(firstTokenBuckets, 0.5),
    firstTokenP95Ms: of(firstTokenBuckets, 0.95),
  };
}
