import type { LeaseBook, Reservation } from "@/lib/billing/lease";
import { logger } from "@/lib/logger";
import type { Permit } from "../../admission/limits";
import { RelayError } from "../../base/relay-error";
import type { Rates } from "./rates";

/** "wait": nothing is to be passed on until `onAnswer`. "end": the balance pays for no more. */
type Verdict = "go" | "wait" | "end";

type Amounts = { amount: number; least: number; fair: number; most: number };

export type HoldSettings = {
  leaseBook: Pick<LeaseBook, "extend" | "release" | "split">;
  permit: Pick<Permit, "budget">;
  /** Throws or rejects with RelayError when the balance carries not even the least. */
  reserve: (amounts: Amounts) => Reservation | Promise<Reservation>;
  rates: Rates;
  /** The session's, for the log. */
  requestId: string;
  /** An answer that may be waited for is in. */
  onAnswer: () => void;
};

/** Tokens that are reserved ahead of what is needed: some 25 s of speech. */
const AHEAD_TOKENS = 512;
const LEAST_TOKENS = 16;

/** Keeps a reservation ahead of what a session needs; each charge takes what it costs of it. */
export class SessionHold {
  /** Why nothing more can be had. */
  refusal: RelayError | null = null;
  private readonly settings: HoldSettings;
  private readonly ahead: number;
  private readonly least: number;
  private reservation: Reservation | null = null;
  private isRenewing = false;
  /** The reservation for which more was asked. */
  private extending: Reservation | null = null;
  /** Over when nothing that was asked for is held any more by a reservation that a charge has taken. */
  private asked: Promise<unknown> | null = null;
  private isRefused = false;
  private isClosed = false;
  /** What goes on without a reservation while the database is away. */
  private uncovered = 0;

  constructor(settings: HoldSettings) {
    const { writtenText, writtenSound, call } = settings.rates;
    const dearest = Math.max(writtenText, writtenSound);
    this.settings = settings;
    this.ahead = Math.ceil(AHEAD_TOKENS * dearest + call);
    this.least = Math.ceil(LEAST_TOKENS * dearest);
  }

  /** The first reservation. Rejects with RelayError. */
  async open(needed: number): Promise<void> {
    this.reservation = await this.reserve(needed);
  }

  /**
   * Called when what is needed may have grown, and with `isAnswered` when an answer is in: a refusal is asked about again
   * only when more is needed than is held, and then it is final.
   */
  check(needed: number, isAnswered = false): Verdict {
    const held = this.held();
    const isLow = needed > held - this.ahead / 2;
    const mayAsk = !this.isRefused || (needed > held && !isAnswered);
    if (isLow && mayAsk && !this.isAsking()) this.ask(needed);
    if (needed <= this.held()) return "go";
    return this.isAsking() ? "wait" : "end";
  }

  /** Hands a part of the reservation over to a charge, but for what is still needed: nobody else may have that meanwhile. */
  takeFor(cost: number, needed: number): Reservation | null {
    const { reservation } = this;
    if (!reservation) return null;
    const kept = Math.min(reservation.amount - cost, Math.ceil(needed) + this.ahead);
    if (kept <= 0) return this.take();
    this.uncovered = 0;
    return this.settings.leaseBook.split(reservation, reservation.amount - kept);
  }

  /** What is still reserved. */
  get kept(): number {
    return this.reservation?.amount ?? 0;
  }

  private take(): Reservation | null {
    const { reservation } = this;
    this.reservation = null;
    this.extending = null;
    this.uncovered = 0;
    return reservation;
  }

  /** Reserves anew after a charge. */
  renew(needed: number): void {
    if (this.isRenewing || this.reservation) return;
    this.isRenewing = true;
    this.isRefused = false;
    this.reserve(needed).then(
      (reservation) => {
        this.isRenewing = false;
        if (this.isClosed) this.giveBack(reservation);
        else this.reservation = reservation;
        this.settings.onAnswer();
      },
      (error: unknown) => {
        this.isRenewing = false;
        this.failed(error, needed);
      },
    );
  }

  /** Gives everything back, also what is still asked for. */
  close(): void {
    this.isClosed = true;
    this.giveBack(this.take());
  }

  private held(): number {
    return (this.reservation?.amount ?? 0) + this.uncovered;
  }

  private isAsking(): boolean {
    return this.isRenewing || this.extending !== null;
  }

  private giveBack(reservation: Reservation | null): void {
    const { leaseBook, permit } = this.settings;
    if (reservation) leaseBook.release(reservation);
    permit.budget?.part()(0);
  }

  private async reserve(needed: number): Promise<Reservation> {
    const { permit, reserve } = this.settings;
    // It may get all that is left, and gives it back then: nobody is to be refused because of that.
    if (this.asked) await this.asked;
    const least = Math.ceil(needed) + this.least;
    const amount = Math.ceil(needed) + this.ahead;
    const amounts = { amount, least, fair: amount, most: amount };
    return reserve(permit.budget ? await permit.budget.take(amounts) : amounts);
  }

  private ask(needed: number): void {
    const { reservation } = this;
    if (!reservation) return void this.renew(needed);
    const { leaseBook, permit } = this.settings;
    const missing = Math.max(1, Math.ceil(needed - this.held()));
    const want = { amount: missing + this.ahead, least: missing + this.least, fair: missing + this.ahead };
    const asked = (permit.budget?.within(leaseBook) ?? leaseBook).extend(reservation, want);
    if (typeof asked === "number") {
      this.isRefused = asked === 0;
      return;
    }
    this.extending = reservation;
    const over = (): void => {
      if (this.asked === ended) this.asked = null;
    };
    const ended: Promise<unknown> = asked.then(over, over);
    this.asked = ended;
    asked.then(
      (granted) => {
        // A charge may have taken the reservation meanwhile.
        if (this.extending !== reservation) return;
        this.extending = null;
        this.isRefused = granted === 0;
        this.settings.onAnswer();
      },
      (error: unknown) => {
        if (this.extending !== reservation) return;
        this.extending = null;
        this.failed(error, needed);
      },
    );
  }

  /** The database is away: that ends no session, and what it delivers is charged all the same. */
  private failed(error: unknown, needed: number): void {
    if (this.isClosed) return void this.giveBack(null);
    if (error instanceof RelayError && error.wire.code !== "database_away") {
      this.refusal = error;
      this.isRefused = true;
    } else {
      const cause = error instanceof RelayError ? error.trouble?.cause : error;
      logger.warn({ err: cause, request: this.settings.requestId }, "a session goes on without a reservation");
      this.uncovered += Math.ceil(Math.max(0, needed - this.held())) + this.ahead;
    }
    this.settings.onAnswer();
  }
}
