import { incrementCounter } from "@/lib/auth/commands";
import type { ServiceContext } from "@/lib/context";
import { env } from "@/lib/env";
import { addressKey, createRateWindow, type RateWindow } from "@/lib/rate-window";

/** Limits of contract §1.1: "global" applies to all of /api; "critical" applies in addition to calls that invite guessing. */
export type RateClass = "global" | "critical";

/** On globalThis, because each bundle of the console has its own copy of this module but the process has one counter. */
const shared = globalThis as typeof globalThis & { weirApiRate?: RateWindow };

function globalWindow(): RateWindow {
  shared.weirApiRate ??= createRateWindow();
  return shared.weirApiRate;
}

/**
 * Counts a call against the limits of its client address. Returns the empty 429 of the contract for a call over the
 * limit, else null. The global counter is per process; the critical one is in the database, shared by all machines.
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
