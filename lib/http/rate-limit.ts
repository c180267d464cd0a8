import { LRUCache } from "lru-cache";
import { accessTokenHash } from "@/lib/auth/actor";
import { incrementCounter } from "@/lib/auth/commands";
import { type AccountRow, findAccountByAccessToken } from "@/lib/auth/queries";
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
const shared = globalThis as typeof globalThis & { weirApiRate?: RateWindow; weirKnownTokens?: LRUCache<string, true> };

function globalWindow(): RateWindow {
  shared.weirApiRate ??= createRateWindow();
  return shared.weirApiRate;
}

/** Calls of /api and server actions of the console are counted apart, so that a busy page does not stop a script. */
export type Surface = "api" | "action";

/**
 * Counts a call against the limits of its client address, or of the account whose access token it has (`byToken`). Returns 0 within
 * them, else the seconds to wait. The global counter is per process; the critical one is in the database, shared by all machines and
 * by both surfaces.
 */
export async function limitCall(
  { db, clientIp }: Pick<ServiceContext, "db" | "clientIp">,
  limit: RateClass,
  surface: Surface = "api",
  byToken: TokenCaller = NO_TOKEN,
): Promise<number> {
  const settings = env();
  const key = addressKey(clientIp);
  if (settings.GLOBAL_API_RATE_LIMIT_ENABLE && !byToken.isCounted) {
    const { GLOBAL_API_RATE_LIMIT: calls, GLOBAL_API_RATE_LIMIT_DURATION: seconds } = settings;
    const { ACCESS_TOKEN_RATE_LIMIT: ofToken, ACCESS_TOKEN_RATE_LIMIT_DURATION: tokenSeconds } = settings;
    const wait = byToken.account
      ? globalWindow().add(`token:${byToken.account.id}`, ofToken, tokenSeconds)
      : globalWindow().add(`${surface}:${key}`, calls, seconds);
    if (wait > 0) return wait;
  }
  if (limit !== "critical" || !settings.CRITICAL_RATE_LIMIT_ENABLE) return 0;
  const counter = await incrementCounter(db, `critical:${key}`, settings.CRITICAL_RATE_LIMIT_DURATION);
  return counter.count > settings.CRITICAL_RATE_LIMIT ? Math.max(1, counter.secondsLeft) : 0;
}

/**
 * Whose access token a request has: null = none that is known. `waitSeconds` > 0 = it is not looked for now. `isCounted`: against the
 * limit of its address, because its token was looked for.
 */
export type TokenCaller = { account: AccountRow | null; waitSeconds: number; isCounted: boolean };
export const NO_TOKEN: TokenCaller = { account: null, waitSeconds: 0, isCounted: false };

const KNOWN_TOKENS_MAX = 10_000;

/**
 * Finds the account of a request's access token. One that was not good before counts for its address before it is looked for, so that
 * nobody tries others without a limit, also not many at once; a good one is given back.
 */
export async function findTokenCaller(
  { db, clientIp }: Pick<ServiceContext, "db" | "clientIp">,
  authorization: string | null,
): Promise<TokenCaller> {
  const { GLOBAL_API_RATE_LIMIT_ENABLE: isOn, ...settings } = env();
  const hash = accessTokenHash(authorization);
  if (!isOn || hash === null) return NO_TOKEN;
  shared.weirKnownTokens ??= new LRUCache({ max: KNOWN_TOKENS_MAX });
  const isNew = !shared.weirKnownTokens.has(hash);
  const key = `api:${addressKey(clientIp)}`;
  if (isNew) {
    const { GLOBAL_API_RATE_LIMIT: calls, GLOBAL_API_RATE_LIMIT_DURATION: seconds } = settings;
    const waitSeconds = globalWindow().add(key, calls, seconds);
    if (waitSeconds > 0) return { ...NO_TOKEN, waitSeconds };
  }
  const account = await findAccountByAccessToken(db, hash);
  if (account) shared.weirKnownTokens.set(hash, true);
  else shared.weirKnownTokens.delete(hash);
  if (account && isNew) globalWindow().giveBack(key);
  return { account, waitSeconds: 0, isCounted: isNew && account === null };
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
      return waitSeconds > 0 ? tooMany(request, waitSeconds) : await handler(request, ...rest);
    } catch (error) {
      if (isDatabaseAway(error)) return fail(orDatabaseAway(error), localeOf(request));
      throw error;
    }
  };
  limitedHandlers.add(made);
  return made;
}
