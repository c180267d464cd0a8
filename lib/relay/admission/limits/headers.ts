import type { Exchange } from "../../http/exchange";
import type { Standing } from "./rate-limiter";

/**
 * Sets `x-ratelimit-*` as OpenAI has them, and for Anthropic's callers theirs too, for the limit of which the least is left. The
 * reset is when more is left where nothing is, else when all is.
 */
export function setLimitHeaders(
  { response, caller }: Pick<Exchange, "response" | "caller">,
  kind: "requests" | "tokens",
  standings: Standing[],
): void {
  if (standings.length === 0 || response.headersSent) return;
  const tightest = standings.reduce((least, one) => (one.remaining < least.remaining ? one : least));
  response.setHeader(`x-ratelimit-limit-${kind}`, tightest.limit);
  response.setHeader(`x-ratelimit-remaining-${kind}`, Math.max(0, tightest.remaining));
  response.setHeader(`x-ratelimit-reset-${kind}`, durationText(tightest.resetSeconds));
  if (caller.dialect !== "anthropic-messages") return;
  const resetMs = Date.now() + Math.ceil(tightest.resetSeconds) * 1_000;
  response.setHeader(`anthropic-ratelimit-${kind}-limit`, tightest.limit);
  response.setHeader(`anthropic-ratelimit-${kind}-remaining`, Math.max(0, tightest.remaining));
  response.setHeader(`anthropic-ratelimit-${kind}-reset`, new Date(resetMs).toISOString());
}

/** 0.35 → "350ms", 7.2 → "7.2s", 372 → "6m12s", as OpenAI words it. */
export function durationText(seconds: number): string {
  if (seconds < 1) return `${Math.max(0, Math.ceil(seconds * 1_000))}ms`;
  if (seconds < 60) return `${Math.ceil(seconds * 10) / 10}s`;
  const whole = Math.ceil(seconds);
  const hours = Math.floor(whole / 3_600);
  const minutes = Math.floor((whole % 3_600) / 60);
  return `${hours > 0 ? `${hours}h` : ""}${minutes}m${whole % 60}s`;
}
