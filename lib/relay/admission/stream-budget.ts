import type { LeaseBook, Reservation } from "@/lib/billing/lease";
import { affordableTokens, isAnswerFree, priceBound } from "@/lib/billing/price";
import { logger } from "@/lib/logger";
import type { Answer } from "../answers/answer";
import { NO_PROMPT, type Quote, tokensFor } from "./quote";

/** What an answer would be charged as by now, in quota; null = that is not known. */
export type ChargeSoFar = (answer: Pick<Answer, "report">) => Promise<number | null>;

/** "wait": take nothing more from the upstream until `resume` is called. "end": stop the stream. */
export type BudgetVerdict = "go" | "wait" | "end";

/** A stream reserves no more than this many tokens at a time beyond what it delivered. */
const STEP_TOKENS_MAX = 16_384;
const STEP_TOKENS_MIN = 64;
/**
 * Where the upstream has a limit, the reservation covers the answer, and the estimate only has to find an upstream that
 * ignores it: so many times the limit, because the estimate is high.
 */
const COVERED_SLACK = 4;

const NOTHING_BEFORE = { quota: 0, completionTokens: 0 };

/** Keeps the reservation of a running stream ahead of what was delivered. */
export class StreamBudget {
  /** Nothing is to be done until the stream has delivered more tokens than this, as estimated. */
  checkAt = 0;
  /** The balance could not pay for more, so that the stream was ended. */
  isSpent = false;
  /** Tokens of the answer, as `check` counts them; `before` of them are paid for otherwise. */
  private limit = 0;
  private slack = 1;
  private readonly before: number;
  private isAsking = false;
  /** The last request for more was refused; another is made when the limit is reached. */
  private isRefused = false;
  private resume: ((verdict: "go" | "end") => void) | null = null;
  /** As it was asked about last. */
  private delivered = 0;
  private running: Pick<Answer, "report"> | null = null;
  private readonly leaseBook: Pick<LeaseBook, "extend">;
  private readonly reservation: Reservation;
  private readonly quote: Quote;
  private readonly requestId: string;
  private readonly chargeSoFar: ChargeSoFar | null;

  /**
   * `requestId`: for the log. `chargeSoFar`: asked where nothing more can be had; null = the estimate decides. `earlier`: what other
   * models wrote of the answer, and the part of the reservation it takes.
   */
  constructor(
    leaseBook: Pick<LeaseBook, "extend">,
    reservation: Reservation,
    quote: Quote,
    requestId: string,
    chargeSoFar: ChargeSoFar | null = null,
    earlier: { quota: number; completionTokens: number } = NOTHING_BEFORE,
  ) {
    this.chargeSoFar = chargeSoFar;
    this.before = earlier.completionTokens;
    this.leaseBook = leaseBook;
    this.reservation = reservation;
    this.quote = quote;
    this.requestId = requestId;
    if (isAnswerFree(quote.prompt, quote.price)) {
      // Tokens of the answer cost nothing.
      this.checkAt = Number.POSITIVE_INFINITY;
      return;
    }
    const tokens = tokensFor(Math.max(0, reservation.amount - earlier.quota), quote);
    const isCovered = !quote.isMetered || (quote.limits.isKnown && tokens >= quote.completionTokensMax);
    if (isCovered) this.slack = COVERED_SLACK;
    this.setLimit(this.before + tokens * this.slack);
  }

  /** Only the reservation keeps the answer in bounds: no more than it pays for is let through from now on. */
  follow(): void {
    if (this.slack === 1 || this.checkAt === Number.POSITIVE_INFINITY) return;
    this.setLimit(this.before + (this.limit - this.before) / this.slack);
    this.slack = 1;
  }

  /** Called when more than `checkAt` tokens were delivered. `resume` is called once if the answer is "wait". */
  check(
    delivered: number,
    resume: (verdict: "go" | "end") => void,
    answer: Pick<Answer, "report"> | null = null,
  ): BudgetVerdict {
    this.delivered = delivered;
    this.running = answer;
    if (delivered > this.checkAt && !this.isAsking && (!this.isRefused || delivered >= this.limit)) this.ask();
    if (delivered < this.limit) return "go";
    if (!this.isAsking && !this.count()) return this.end();
    this.resume = resume;
    return "wait";
  }

  /** The estimate is high: what is reserved may pay for more of the answer than it says. False = nobody can tell. */
  private count(): boolean {
    const { chargeSoFar, running, reservation, delivered } = this;
    if (!chargeSoFar || !running || this.slack > 1) return false;
    this.isAsking = true;
    chargeSoFar(running).then(
      (charged) => {
        this.isAsking = false;
        const { amount } = reservation;
        const left = charged === null ? 0 : amount - charged;
        const tokens = left > 0 ? affordableTokens(left, NO_PROMPT, this.quote.price) : 0;
        // Less is left each time, until it is not worth another count.
        const isEnough = tokens >= STEP_TOKENS_MIN;
        if (isEnough) {
          this.limit = delivered + tokens;
          this.checkAt = this.limit - 1;
        }
        this.goOn(isEnough);
      },
      (error: unknown) => {
        this.isAsking = false;
        logger.warn({ err: error, request: this.requestId }, "what a stream has cost could not be counted");
        this.goOn(false);
      },
    );
    return true;
  }

  private goOn(mayGo: boolean): void {
    const { resume } = this;
    this.resume = null;
    resume?.(mayGo ? "go" : this.end());
  }

  private end(): "end" {
    this.isSpent = true;
    return "end";
  }

  private setLimit(limit: number): void {
    this.limit = limit;
    this.checkAt = limit - Math.min(limit - this.before, STEP_TOKENS_MAX) / 2;
  }

  private ask(): void {
    const { price } = this.quote;
    // A piece may be longer than the usual step.
    const missing = (this.delivered - this.limit) / this.slack + STEP_TOKENS_MIN;
    const usual = Math.max(STEP_TOKENS_MIN, (this.limit - this.before) / this.slack);
    const step = Math.max(missing, Math.min(STEP_TOKENS_MAX, usual));
    const amountOf = (tokens: number): number => priceBound(NO_PROMPT, tokens, price);
    const least = amountOf(STEP_TOKENS_MIN);
    const granted = this.leaseBook.extend(this.reservation, { amount: amountOf(step), least, fair: least });
    const tokensOf = (amount: number): number => (amount === 0 ? 0 : Math.floor((step * amount) / amountOf(step)));
    if (typeof granted === "number") {
      this.take(tokensOf(granted));
      return;
    }
    this.isAsking = true;
    granted.then(
      (amount) => this.answer(tokensOf(amount)),
      (error: unknown) => {
        // The database is away: that ends no stream that has begun, and what it delivers is charged all the same.
        logger.warn({ err: error, request: this.requestId }, "a stream goes on without a reservation");
        this.answer(step);
      },
    );
  }

  private answer(tokens: number): void {
    this.isAsking = false;
    this.take(tokens);
    if (tokens > 0 || !this.resume) this.goOn(true);
    else if (!this.count()) this.goOn(false);
  }

  private take(tokens: number): void {
    this.isRefused = tokens === 0;
    if (tokens > 0) this.setLimit(this.limit + tokens * this.slack);
    else this.checkAt = Math.max(this.checkAt, this.limit - 1);
  }
}
