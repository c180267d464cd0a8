import type { Sql } from "@/db/client";
import { logger } from "@/lib/logger";
import type { OptionValues } from "@/lib/option/registry";
import type { Exchange } from "../exchange";
import { RelayError } from "../relay-error";
import type { Caller } from "../stages/authenticate";
import { chargeAdmissions, repairPlaces, returnAdmissions, returnPlaces, takeAdmissions, takePlaces } from "./commands";
import { createConcurrency } from "./concurrency";
import { away, FREE, LimitedRequest, type Permit } from "./limited-request";
import { createRateLimiter } from "./rate-limiter";
import { requestRules, tokenRules } from "./rules";

export type { Permit } from "./limited-request";

export type Limits = {
  /** Throws or rejects with 429 when a limit is reached. Does nothing when no limit is set. */
  enter(caller: Caller, options: OptionValues, exchange: Exchange): Permit | Promise<Permit>;
  stop(): Promise<void>;
};

/** Requests and tokens in a time, and requests at once, of users and tokens. */
export function createLimits({ sql, nodeId }: { sql: Sql; nodeId: string }): Limits {
  const onError = (error: unknown): void => logger.error({ err: error }, "a limit could not be kept up to date");
  const rates = createRateLimiter({
    take: (allowance, wanted) => takeAdmissions(sql, allowance, wanted),
    giveBack: (allowance, amount, window) => returnAdmissions(sql, allowance, amount, window),
    charge: (allowance, amount) => chargeAdmissions(sql, allowance, amount),
    onError,
  });
  const places = createConcurrency({
    take: (userId, limit, wanted) => takePlaces(sql, { userId, nodeId }, limit, wanted),
    giveBack: (userId, amount) => returnPlaces(sql, { userId, nodeId }, amount),
    repair: (userId) => repairPlaces(sql, userId),
    onError,
  });

  async function enterLimited(caller: Caller, options: OptionValues, exchange: Exchange): Promise<Permit> {
    const { id: userId, concurrencyLimit } = caller.user;
    const rules = { requests: requestRules(caller, options), tokens: tokenRules(caller) };
    const request = new LimitedRequest(rates, rules, exchange.response, () => {
      if (concurrencyLimit > 0) places.leave(userId);
    });
    await request.takeRequest();
    try {
      if (concurrencyLimit > 0 && !(await places.enter(userId, concurrencyLimit)))
        throw tooManyAtOnce(concurrencyLimit);
    } catch (error) {
      request.abandon();
      throw error instanceof RelayError ? error : away(error);
    }
    return request;
  }

  return {
    enter(caller, options, exchange) {
      return hasLimits(caller, options) ? enterLimited(caller, options, exchange) : FREE;
    },
    stop: () => places.stop(),
  };
}

/** Asked for every request. */
function hasLimits({ token, user }: Caller, options: OptionValues): boolean {
  return (
    options.ModelRequestRateLimitEnabled ||
    token.rateLimitCount > 0 ||
    token.tokensPerMinute > 0 ||
    user.requestsPerMinute > 0 ||
    user.tokensPerMinute > 0 ||
    user.concurrencyLimit > 0
  );
}

function tooManyAtOnce(limit: number): RelayError {
  const message = `you may have ${limit} requests in flight at once`;
  return new RelayError(429, message, { type: "rate_limit_error", code: "concurrency_limit_exceeded", retryAfter: 1 });
}
