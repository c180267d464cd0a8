import type { ServerResponse } from "node:http";
import { logger } from "@/lib/logger";
import { RelayError } from "../relay-error";
import type { ExpectedTokens } from "./expected-tokens";
import { setLimitHeaders } from "./headers";
import type { RateLimiter } from "./rate-limiter";
import type { Rule } from "./rules";

/** The limits that one request occupies. Call `leave` exactly once, however the request ends. */
export type Permit = {
  /** Counts the request's tokens before it is sent anywhere. Undefined = nothing is limited. Rejects with 429. */
  takeTokens: ((tokens: () => ExpectedTokens) => Promise<void>) | undefined;
  /** What it really used, once that is known. Without this call it used nothing. */
  usedTokens(tokens: number): void;
  /** `succeeded`: the request counts towards the limit of successful requests. */
  leave(succeeded: boolean): void;
};

export const FREE: Permit = Object.freeze({ takeTokens: undefined, usedTokens: () => {}, leave: () => {} });

type Taken = { rule: Rule; amount: number; window: number };

/** What a caller with limits has taken of them for one request. */
export class LimitedRequest implements Permit {
  readonly takeTokens: Permit["takeTokens"];
  private readonly requests: Taken[] = [];
  private tokens: Taken[] = [];
  private isOver = false;
  private readonly rates: RateLimiter;
  private readonly rules: { requests: Rule[]; tokens: Rule[] };
  private readonly response: ServerResponse;
  private readonly onLeave: () => void;

  constructor(
    rates: RateLimiter,
    rules: { requests: Rule[]; tokens: Rule[] },
    response: ServerResponse,
    onLeave: () => void,
  ) {
    this.rates = rates;
    this.rules = rules;
    this.response = response;
    this.onLeave = onLeave;
    this.takeTokens = rules.tokens.length === 0 ? undefined : (tokens) => this.countTokens(tokens());
  }

  /** Rejects with 429. What was taken before is given back then. */
  async takeRequest(): Promise<void> {
    const { requests: rules } = this.rules;
    try {
      for (const rule of rules) await this.take(this.requests, rule, 1);
    } catch (error) {
      this.giveBack(this.requests);
      throw error;
    } finally {
      setLimitHeaders(
        this.response,
        "requests",
        rules.map((rule) => this.rates.standing(rule)),
      );
    }
  }

  private async countTokens({ expected, least }: ExpectedTokens): Promise<void> {
    const { tokens: rules } = this.rules;
    try {
      for (const rule of rules) {
        if (least > rule.limit) throw tooLarge(rule, least);
        await this.take(this.tokens, rule, Math.min(expected, rule.limit));
      }
    } finally {
      setLimitHeaders(
        this.response,
        "tokens",
        rules.map((rule) => this.rates.standing(rule)),
      );
    }
  }

  private async take(taken: Taken[], rule: Rule, amount: number): Promise<void> {
    const asked = this.rates.admit(rule, amount);
    const answer = asked instanceof Promise ? await asked.catch(throwAway) : asked;
    if (answer !== true) throw tooMany(rule, answer.retryAfter);
    taken.push({ rule, amount, window: this.rates.windowOf(rule) });
  }

  usedTokens(used: number): void {
    for (const { rule, amount, window } of this.tokens) this.rates.settle(rule, window, amount, used);
    this.tokens = [];
  }

  /** Undoes everything, for a request that another limit refuses. */
  abandon(): void {
    this.giveBack(this.requests);
  }

  leave(succeeded: boolean): void {
    if (this.isOver) return;
    this.isOver = true;
    this.onLeave();
    this.usedTokens(0);
    if (!succeeded) this.giveBack(this.requests.filter(({ rule }) => rule.onlySuccess));
  }

  private giveBack(taken: Taken[]): void {
    for (const { rule, amount, window } of taken) this.rates.giveBack(rule, amount, window);
  }
}

function tooMany({ message, code }: Rule, retryAfter: number): RelayError {
  return new RelayError(429, message, { type: "rate_limit_error", code, retryAfter });
}

/** It fits in no minute, so that no time to come back can be named. */
function tooLarge({ message }: Rule, least: number): RelayError {
  const text = `the request is too large: ${message}, and it has at least ${least}`;
  return new RelayError(429, text, { type: "tokens", code: "request_too_large" });
}

function throwAway(error: unknown): never {
  throw away(error);
}

export function away(error: unknown): RelayError {
  logger.error({ err: error }, "a limit could not be checked");
  return new RelayError(503, "the service is temporarily unavailable, please try again", { code: "database_away" });
}
