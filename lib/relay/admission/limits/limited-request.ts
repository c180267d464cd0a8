import { RelayError } from "../../base/relay-error";
import type { Exchange } from "../../http/exchange";
import { throwAway } from "./away";
import type { Concurrency } from "./concurrency";
import type { ExpectedTokens } from "./expected-tokens";
import type { RateLimiter, Standing } from "./rate-limiter";
import type { RequestBudget } from "./request-budget";
import type { PlaceRule, Rule } from "./rules";
import { type QueueTerms, takeTurn, tooManyAtOnce } from "./turns";

/** The limits that one request occupies. Call `leave` exactly once, however the request ends. */
export type Permit = {
  /** Counts the request's tokens before it is sent anywhere. Undefined = nothing is limited. Rejects with 429. */
  takeTokens: ((tokens: () => ExpectedTokens) => Promise<void>) | undefined;
  /** Undefined = no budget is set. */
  budget: RequestBudget | undefined;
  /** What it really used, once that is known. Without this call it used nothing. */
  usedTokens(tokens: number): void;
  /** Frees the places of the caller among the requests in flight before the request ends. */
  leavePlaces(): void;
  /** `succeeded`: the request counts towards the limit of successful requests. */
  leave(succeeded: boolean): void;
};

export const FREE: Permit = Object.freeze({
  takeTokens: undefined,
  budget: undefined,
  usedTokens: () => {},
  leavePlaces: () => {},
  leave: () => {},
});

type Taken = { rule: Rule; amount: number; window: number };

/** What a caller with limits has taken of them for one request. */
export class LimitedRequest implements Permit {
  readonly takeTokens: Permit["takeTokens"];
  readonly budget: RequestBudget | undefined;
  private readonly requests: Taken[] = [];
  private tokens: Taken[] = [];
  private isOver = false;
  private readonly rates: RateLimiter;
  private readonly rules: { requests: Rule[]; tokens: Rule[] };
  private readonly exchange: Pick<Exchange, "response" | "clientDialect">;
  private readonly places: Concurrency;
  /** The subjects of which this request has a place. */
  private placed: string[] = [];

  constructor(
    rates: RateLimiter,
    places: Concurrency,
    rules: { requests: Rule[]; tokens: Rule[] },
    exchange: Pick<Exchange, "response" | "clientDialect">,
    budget: RequestBudget | undefined,
  ) {
    this.rates = rates;
    this.places = places;
    this.budget = budget;
    this.rules = rules;
    this.exchange = exchange;
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
        this.exchange,
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
        this.exchange,
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

  /** Rejects with 429 when there is no place, and none became free while the request could wait. */
  async takePlaces(rules: PlaceRule[], queue: QueueTerms, exchange: Exchange): Promise<void> {
    for (const { subject, limit, text } of rules) {
      const ask = { ...queue, subject, limit, owner: 0 };
      if (!(await takeTurn(this.places, ask, exchange))) throw tooManyAtOnce({ text, limit }, queue);
      this.placed.push(subject);
    }
  }

  /** Undoes everything, for a request that another limit refuses. */
  abandon(): void {
    this.leavePlaces();
    this.giveBack(this.requests);
  }

  leavePlaces(): void {
    for (const subject of this.placed) this.places.leave(subject);
    this.placed = [];
  }

  leave(succeeded: boolean): void {
    if (this.isOver) return;
    this.isOver = true;
    this.leavePlaces();
    this.usedTokens(0);
    this.budget?.giveUp();
    if (!succeeded) this.giveBack(this.requests.filter(({ rule }) => rule.onlySuccess));
  }

  private giveBack(taken: Taken[]): void {
    for (const { rule, amount, window } of taken) this.rates.giveBack(rule, amount, window);
  }
}

function tooMany({ said, refusal }: Rule, retryAfter: number): RelayError {
  if (typeof said === "string") return new RelayError(refusal, said, { retryAfter, isOwnWords: true });
  return new RelayError(refusal, { ...said, wait: Math.ceil(retryAfter) }, { retryAfter });
}

/** It fits in no minute, so that no time to come back can be named. */
function tooLarge({ limit, subject }: Rule, least: number): RelayError {
  const text = subject.startsWith("tt") ? "keyTokensTooMany" : "userTokensTooMany";
  return new RelayError("tokens_over_limit", { text, limit, least });
}

/**
 * Sets `x-ratelimit-*` as OpenAI has them, and for Anthropic's callers theirs too, for the limit of which the least is left. The
 * reset is when more is left where nothing is, else when all is.
 */
function setLimitHeaders(
  { response, clientDialect }: Pick<Exchange, "response" | "clientDialect">,
  kind: "requests" | "tokens",
  standings: Standing[],
): void {
  if (standings.length === 0 || response.headersSent) return;
  const tightest = standings.reduce((least, one) => (one.remaining < least.remaining ? one : least));
  response.setHeader(`x-ratelimit-limit-${kind}`, tightest.limit);
  response.setHeader(`x-ratelimit-remaining-${kind}`, Math.max(0, tightest.remaining));
  response.setHeader(`x-ratelimit-reset-${kind}`, durationText(tightest.resetSeconds));
  if (clientDialect.dialect !== "anthropic-messages") return;
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
