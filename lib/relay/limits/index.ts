import type { Sql } from "@/db/client";
import { logger } from "@/lib/logger";
import type { OptionValues } from "@/lib/option/registry";
import { RelayError } from "../relay-error";
import type { Caller } from "../stages/authenticate";
import { type Allowance, repairPlaces, returnAdmissions, returnPlaces, takeAdmissions, takePlaces } from "./commands";
import { createConcurrency } from "./concurrency";
import { createRateLimiter, type Refused } from "./rate-limiter";

/** The limits that one request occupies. Call `leave` exactly once, however the request ends. */
type Permit = {
  /** `succeeded`: the request counts towards the limit of successful requests. */
  leave(succeeded: boolean): void;
};

export type Limits = {
  /** Throws or rejects with 429 when a limit is reached. Does nothing when no limit is set. */
  enter(caller: Caller, options: OptionValues): Permit | Promise<Permit>;
  stop(): Promise<void>;
};

const FREE: Permit = Object.freeze({ leave: () => {} });

type Rule = Allowance & { message: string; code: string; onlySuccess: boolean };

/** Requests per minute and user, requests per token, concurrent requests per user (contract §1.1 MRRL, §4.3 check 10). */
export function createLimits({ sql, nodeId }: { sql: Sql; nodeId: string }): Limits {
  const onError = (error: unknown): void => logger.error({ err: error }, "a limit could not be kept up to date");
  const rates = createRateLimiter({
    take: (allowance, wanted) => takeAdmissions(sql, allowance, wanted),
    giveBack: (allowance, amount) => returnAdmissions(sql, allowance, amount),
    onError,
  });
  const places = createConcurrency({
    take: (userId, limit, wanted) => takePlaces(sql, { userId, nodeId }, limit, wanted),
    giveBack: (userId, amount) => returnPlaces(sql, { userId, nodeId }, amount),
    repair: (userId) => repairPlaces(sql, userId),
    onError,
  });

  async function enterLimited(rules: Rule[], userId: number, concurrency: number): Promise<Permit> {
    const taken: Rule[] = [];
    const undo = (): void => {
      for (const rule of taken) rates.giveBack(rule);
    };
    try {
      for (const rule of rules) {
        const outcome = rates.admit(rule);
        const answer = outcome instanceof Promise ? await outcome : outcome;
        if (answer !== true) throw tooMany(rule, answer);
        taken.push(rule);
      }
      if (concurrency > 0 && !(await places.enter(userId, concurrency))) throw tooManyAtOnce(concurrency);
    } catch (error) {
      undo();
      throw error instanceof RelayError ? error : away(error);
    }
    let isOver = false;
    return {
      leave(succeeded) {
        if (isOver) return;
        isOver = true;
        if (concurrency > 0) places.leave(userId);
        if (!succeeded) for (const rule of rules) if (rule.onlySuccess) rates.giveBack(rule);
      },
    };
  }

  return {
    enter(caller, options) {
      const { token, user } = caller;
      if (!options.ModelRequestRateLimitEnabled && token.rateLimitCount === 0 && user.concurrencyLimit === 0) {
        return FREE;
      }
      return enterLimited(rulesOf(caller, options), user.id, user.concurrencyLimit);
    },
    stop: () => places.stop(),
  };
}

function rulesOf({ token, user }: Caller, options: OptionValues): Rule[] {
  const rules: Rule[] = [];
  if (token.rateLimitCount > 0) {
    const seconds = Math.max(1, token.rateLimitSeconds);
    const message = token.rateLimitMessage || `the token allows ${token.rateLimitCount} requests in ${seconds} seconds`;
    const code = "token_rate_limit_exceeded";
    rules.push({ subject: `t${token.id}`, limit: token.rateLimitCount, seconds, message, code, onlySuccess: false });
  }
  // The playground has no token, and this limit applies to API keys only (contract §1.1).
  if (!options.ModelRequestRateLimitEnabled || token.id === 0) return rules;
  const minutes = options.ModelRequestRateLimitDurationMinutes;
  const seconds = minutes * 60;
  const code = "rate_limit_exceeded";
  const total = options.ModelRequestRateLimitCount;
  if (total > 0) {
    const message = `you may send ${total} requests in ${minutes} min`;
    rules.push({ subject: `u${user.id}`, limit: total, seconds, message, code, onlySuccess: false });
  }
  const successful = options.ModelRequestRateLimitSuccessCount;
  if (successful > 0) {
    const message = `you may send ${successful} successful requests in ${minutes} min`;
    rules.push({ subject: `s${user.id}`, limit: successful, seconds, message, code, onlySuccess: true });
  }
  return rules;
}

function tooMany({ message, code }: Rule, { retryAfter }: Refused): RelayError {
  return new RelayError(429, message, { type: "rate_limit_error", code, retryAfter });
}

function tooManyAtOnce(limit: number): RelayError {
  const message = `you may have ${limit} requests in flight at once`;
  return new RelayError(429, message, { type: "rate_limit_error", code: "concurrency_limit_exceeded", retryAfter: 1 });
}

function away(error: unknown): RelayError {
  logger.error({ err: error }, "a limit could not be checked");
  return new RelayError(503, "the service is temporarily unavailable, please try again", { code: "database_away" });
}
