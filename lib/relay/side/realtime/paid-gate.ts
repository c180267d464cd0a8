import type { SessionHold } from "./session-hold";
import type { Tally } from "./tally";
import type { TwoWay } from "./two-way";

type GateSettings = {
  hold: Pick<SessionHold, "check">;
  tally: Pick<Tally, "needed">;
  way: Pick<TwoWay, "hold">;
  /** Makes what is needed less; false = it cannot be. */
  shorten: () => boolean;
  /** The balance pays for no more. */
  onSpent: () => void;
};

/** Lets the events of a session pass in their order, each when the balance pays for it. */
export class PaidGate {
  private readonly settings: GateSettings;
  /** What waits for the balance, and what it costs beyond what is needed already. */
  private blocked: { cost: number; pass: () => void } | null = null;
  /** What came meanwhile: it had been read already. */
  private readonly waiting: (() => void)[] = [];

  constructor(settings: GateSettings) {
    this.settings = settings;
  }

  get isBlocked(): boolean {
    return this.blocked !== null;
  }

  /** Call it while the gate is blocked. `take` is called when all before it have passed. */
  queue(take: () => void): void {
    this.waiting.push(take);
  }

  /** Whether an event may pass at once; else call `later`. */
  pays(cost: number): boolean {
    return this.verdict(cost, false) === "go";
  }

  later(cost: number, pass: () => void): void {
    this.blocked = { cost, pass };
  }

  /** The balance, or another answer that was waited for, lets it go on or not. */
  recheck(isAnswered: boolean): void {
    if (this.verdict(this.blocked?.cost ?? 0, isAnswered) !== "go" || !this.blocked) return;
    const { pass } = this.blocked;
    this.blocked = null;
    pass();
    while (!this.blocked) {
      const take = this.waiting.shift();
      if (!take) return;
      take();
    }
  }

  private verdict(cost: number, isAnswered: boolean): "go" | "wait" | "end" {
    const { hold, tally, way, shorten, onSpent } = this.settings;
    let verdict = hold.check(tally.needed() + cost, isAnswered);
    while (verdict === "end" && shorten()) verdict = hold.check(tally.needed() + cost);
    if (verdict === "end") onSpent();
    else way.hold(verdict === "wait");
    return verdict;
  }
}
