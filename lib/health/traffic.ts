import { summariseHealth } from "./summarise";
import type { HealthRow } from "./types";

/** Below this number of judged requests there is no rate and no percentile: a single failure would decide them. */
export const TRAFFIC_MIN = 20;

/** What clients' requests to a channel came to in a window. Channel tests are not among them. */
export type Traffic = {
  requests: number;
  failed: number;
  /** 0–1, of the requests that say something about the channel; null = not enough of them. */
  successRate: number | null;
  /** Of successful requests; null = not enough of them. */
  p95Ms: number | null;
  firstTokenP95Ms: number | null;
};

/** The last 60 minutes, and the last 24 hours by the full hour. */
export type RecentTraffic = { hour: Traffic; day: Traffic };

export const NO_TRAFFIC: Traffic = { requests: 0, failed: 0, successRate: null, p95Ms: null, firstTokenP95Ms: null };

export type TrafficRow = Pick<HealthRow, "outcome" | "count" | "latencyBuckets" | "firstTokenBuckets">;

/** A client that left or sent an invalid request says neither good nor bad about the channel, so it is not judged. */
export function summariseTraffic(rows: readonly TrafficRow[]): Traffic {
  const health = summariseHealth(rows.map((row) => ({ ...row, ...NOT_NEEDED })));
  const { requests, failed } = health;
  const succeeded = rows.reduce((sum, { outcome, count }) => (outcome === "ok" ? sum + count : sum), 0);
  const judged = succeeded + failed;
  const isEnough = succeeded >= TRAFFIC_MIN;
  return {
    requests,
    failed,
    successRate: judged < TRAFFIC_MIN ? null : succeeded / judged,
    p95Ms: isEnough ? health.p95Ms : null,
    firstTokenP95Ms: isEnough ? health.firstTokenP95Ms : null,
  };
}

const NOT_NEEDED = { channelId: 0, hour: 0, modelName: "", quota: 0, useTimeMs: 0, badEvents: 0 };

export type Grade = "good" | "degraded" | "failing";

/** Rates from 0 to 1: good from 0.99, degraded from 0.9, failing below. */
export function gradeOf(rate: number): Grade {
  if (rate >= 0.99) return "good";
  return rate >= 0.9 ? "degraded" : "failing";
}
