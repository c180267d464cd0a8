import { incrementCounter } from "@/lib/auth/commands";
import type { ServiceContext } from "@/lib/context";
import { env } from "@/lib/env";
import { addressKey, createRateWindow, type RateWindow } from "@/lib/rate-window";

/** Limits of contract §1.1: "global" holds for all of /api, "critical" also for what invites guessing. */
export type RateClass = "global" | "critical";

/** Bundles of the console each have their own modules; the count is one for the process. */
const shared = globalThis as typeof globalThis & { weirApiRate?: RateWindow };

function globalWindow(): RateWindow {
  shared.weirApiRate ??= createRateWindow();
  return shared.weirApiRate;
}

/**
 * Counts a call against the limits of its address. Returns the empty 429 that the contract has for a call beyond them,
 * null for one that may go on. The global count is the process's own; the critical one is shared by all machines.
 */
export async function limitCall(ctx: ServiceContext, limit: RateClass): Promise<Response | null> {
  const settings = env();
  const key = addressKey(ctx.clientIp);
  if (settings.GLOBAL_API_RATE_LIMIT_ENABLE) {
    const wait = globalWindow().add(key, settings.GLOBAL_API_RATE_LIMIT, settings.GLOBAL_API_RATE_LIMIT_DURATION);
    if (wait > 0) return tooMany(wait);
  }
  if (limit !== "critical" || !settings.CRITICAL_RATE_LIMIT_ENABLE) return null;
  const counter = await incrementCounter(ctx.db, `critical:${key}`, settings.CRITICAL_RATE_LIMIT_DURATION);
  return counter.count > settings.CRITICAL_RATE_LIMIT ? tooMany(counter.secondsLeft) : null;
}

function tooMany(seconds: number): Response {
  return new Response(null, { status: 429, headers: { "retry-after": String(Math.max(1, seconds)) } });
}
