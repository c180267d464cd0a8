import { incrementCounter } from "@/lib/auth/commands";
import { consoleDatabase, isDatabaseAway, orDatabaseAway } from "@/lib/console-database";
import type { ServiceContext } from "@/lib/context";
import { env } from "@/lib/env";
import { addressKey, createRateWindow, type RateWindow } from "@/lib/rate-window";
import { clientIpOf } from "@/lib/request/client-address";
import { localeOf } from "./message";
import { fail, tooMany } from "./reply";

/** Limits of contract §1.1: "global" applies to all of /api; "critical" applies in addition to calls that invite guessing. */
export type RateClass = "global" | "critical";

/** On globalThis, because each bundle of the console has its own copy of this module but the process has one counter. */
const shared = globalThis as typeof globalThis & { weirApiRate?: RateWindow };

function globalWindow(): RateWindow {
  shared.weirApiRate ??= createRateWindow();
  return shared.weirApiRate;
}

/** Calls of /api and server actions of the console are counted apart, so that a busy page does not stop a script. */
export type Surface = "api" | "action";

/**
 * Counts a call against the limits of its client address. Returns 0 within them, else the seconds to wait. The global
 * counter is per process; the critical one is in the database, shared by all machines and by both surfaces.
 */
export async function limitCall(
  { db, clientIp }: Pick<ServiceContext, "db" | "clientIp">,
  limit: RateClass,
  surface: Surface = "api",
): Promise<number> {
  const settings = env();
  const key = addressKey(clientIp);
  if (settings.GLOBAL_API_RATE_LIMIT_ENABLE) {
    const { GLOBAL_API_RATE_LIMIT: calls, GLOBAL_API_RATE_LIMIT_DURATION: seconds } = settings;
    const wait = globalWindow().add(`${surface}:${key}`, calls, seconds);
    if (wait > 0) return wait;
  }
  if (limit !== "critical" || !settings.CRITICAL_RATE_LIMIT_ENABLE) return 0;
  const counter = await incrementCounter(db, `critical:${key}`, settings.CRITICAL_RATE_LIMIT_DURATION);
  return counter.count > settings.CRITICAL_RATE_LIMIT ? Math.max(1, counter.secondsLeft) : 0;
}

type Handler<Rest extends unknown[]> = (request: Request, ...rest: Rest) => Response | Promise<Response>;

/** The handlers that `limited` made, for the test that asks every route for its class. */
const limitedHandlers = new WeakSet<object>();

export function isLimited(handler: object): boolean {
  return limitedHandlers.has(handler);
}

/** A handler of Next.js outside the route tables, under a limit that may depend on the request. */
export function limited<Rest extends unknown[]>(
  limit: RateClass | ((request: Request) => RateClass),
  surface: Surface,
  handler: Handler<Rest>,
): (request: Request, ...rest: Rest) => Promise<Response> {
  const made = async (request: Request, ...rest: Rest): Promise<Response> => {
    const caller = { db: consoleDatabase().db, clientIp: clientIpOf(request.headers) };
    try {
      const waitSeconds = await limitCall(caller, typeof limit === "string" ? limit : limit(request), surface);
      return waitSeconds > 0 ? tooMany(waitSeconds) : await handler(request, ...rest);
    } catch (error) {
      if (isDatabaseAway(error)) return fail(orDatabaseAway(error), localeOf(request));
      throw error;
    }
  };
  limitedHandlers.add(made);
  return made;
}
