import type { Sql } from "@/db/client";
import { type Budgets, budgetPeriods } from "@/lib/limit/budget-periods";
import { logger } from "@/lib/logger";
import type { OptionValues } from "@/lib/option/registry";
import type { Snapshot } from "@/lib/snapshot/store";
import type { Exchange } from "../../http/exchange";
import type { Caller } from "../authenticate";
import type { Quote } from "../quote";
import { AbandonedRequests } from "./abandoned";
import { returnBudget, takeBudget } from "./budget-commands";
import { BudgetBook } from "./budgets";
import { type ChannelSeats, LimitedSeats, NO_SEATS } from "./channel-seats";
import {
  chargeAdmissions,
  repairPlaces,
  returnAdmissions,
  returnPlaces,
  takeAdmissions,
  takePlaces,
  tellWaiting,
} from "./commands";
import { createConcurrency } from "./concurrency";
import { expectedTokens } from "./expected-tokens";
import { createKeyLimits, type KeyLimits } from "./key-limits";
import { FREE, LimitedRequest, type Permit } from "./limited-request";
import { RateLimiter } from "./rate-limiter";
import { budgetOwners, RequestBudget } from "./request-budget";
import { placeRules, requestRules, tokenRules } from "./rules";
import { queueTerms } from "./turns";

export type { KeyLimits } from "./key-limits";
export type { Permit } from "./limited-request";

export type Limits = {
  /** Throws or rejects with 429 when a limit is reached. Does nothing when no limit is set. */
  enter(caller: Caller, options: OptionValues, exchange: Exchange): Permit | Promise<Permit>;
  /** Which requests their callers have left. */
  abandoned: Pick<AbandonedRequests, "ended">;
  /** The request's places in the limits of channels. */
  seats(caller: Caller, snapshot: Snapshot, exchange: Exchange, quote: Quote): ChannelSeats;
  /** What is left of a caller's limits. */
  keyLimits: KeyLimits;
  stop(): Promise<void>;
};

export type LimitSettings = {
  sql: Sql;
  nodeId: string;
  /** Where the days, weeks and months of budgets begin. */
  timeZone: () => string;
  nowSeconds?: (() => number) | undefined;
};

/** Requests and tokens in a time, and requests at once, of users, tokens and channels. */
export function createLimits({ sql, nodeId, timeZone, nowSeconds = () => Date.now() / 1_000 }: LimitSettings): Limits {
  const onError = (error: unknown): void => logger.error({ err: error }, "a limit could not be kept up to date");
  const rates = new RateLimiter({
    take: (allowance, want) => takeAdmissions(sql, allowance, want),
    giveBack: (allowance, amount, stamp) => returnAdmissions(sql, allowance, amount, stamp),
    charge: (allowance, amount) => chargeAdmissions(sql, allowance, amount),
    onError,
  });
  const places = createConcurrency({
    take: (subject, limit, wanted) => takePlaces(sql, { subject, nodeId }, limit, wanted),
    giveBack: (subject, amount) => returnPlaces(sql, { subject, nodeId }, amount),
    repair: (subject) => repairPlaces(sql, subject),
    tellWaiting: (subject, owners) => tellWaiting(sql, { subject, nodeId }, owners),
    onError,
  });

  const periods = () => budgetPeriods(nowSeconds(), timeZone());
  const budgets = new BudgetBook({
    take: (owner, ask) => takeBudget(sql, nodeId, owner, ask),
    giveBack: (owner, amount) => returnBudget(sql, nodeId, owner, amount),
    periods,
    onError,
  });

  async function enterLimited(caller: Caller, options: OptionValues, exchange: Exchange): Promise<Permit> {
    const rules = { requests: requestRules(caller, options), tokens: tokenRules(caller) };
    const owners = budgetOwners(caller);
    const budget = owners.length === 0 ? undefined : new RequestBudget(budgets, owners, options.QuotaPerUnit);
    const request = new LimitedRequest(rates, places, rules, exchange, budget);
    await request.takeRequest();
    try {
      await request.takePlaces(placeRules(caller), queueTerms(options), exchange);
    } catch (error) {
      request.abandon();
      throw error;
    }
    return request;
  }

  const abandoned = new AbandonedRequests();
  return {
    abandoned,
    keyLimits: createKeyLimits({ sql, nodeId, rates, periods }),
    enter(caller, options, exchange) {
      abandoned.admit(caller.user.id, options);
      return hasLimits(caller, options) ? enterLimited(caller, options, exchange) : FREE;
    },
    seats(caller, { limitsChannels, options }, exchange, quote) {
      if (!limitsChannels) return NO_SEATS;
      const { expected } = expectedTokens(quote);
      const queue = queueTerms(options);
      return new LimitedSeats({ rates, places, exchange, userId: caller.user.id, expectedTokens: expected, queue });
    },
    async stop() {
      await Promise.all([places.stop(), budgets.stop()]);
    },
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
    token.concurrencyLimit > 0 ||
    user.concurrencyLimit > 0 ||
    hasBudget(token) ||
    hasBudget(user)
  );
}

function hasBudget({ budgetDay, budgetWeek, budgetMonth }: Budgets): boolean {
  return budgetDay > 0 || budgetWeek > 0 || budgetMonth > 0;
}
