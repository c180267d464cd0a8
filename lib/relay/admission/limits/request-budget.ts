import type { LeaseBook, Reservation } from "@/lib/billing/lease";
import { budgetsOf } from "@/lib/limit/budget-periods";
import { dollars, timeText } from "../../base/refusals/refusal-texts";
import { RelayError } from "../../base/relay-error";
import type { Caller } from "../authenticate";
import type { Quote } from "../quote";
import { throwAway } from "./away";
import type { BudgetOwner } from "./budget-commands";
import type { BudgetBook, BudgetRefusal, BudgetWant } from "./budgets";

type Amounts = Pick<Quote, "amount" | "least" | "fair" | "most">;
type Extender = Pick<LeaseBook, "extend">;
type Part = { owner: BudgetOwner; taken: number };

/** Those of a caller who have budgets. */
export function budgetOwners({ token, user }: Caller): BudgetOwner[] {
  const owners: BudgetOwner[] = [
    { owner: "token", id: token.id, userId: user.id, limits: budgetsOf(token) },
    { owner: "user", id: user.id, userId: user.id, limits: budgetsOf(user) },
  ];
  return owners.filter(({ limits }) => limits.some((limit) => limit > 0));
}

/** What one request has taken of the budgets of its token and user. */
export class RequestBudget {
  private readonly book: BudgetBook;
  private readonly parts: Part[];
  private readonly perUnit: number;
  private isSettled = false;

  /** `perUnit`: quota for a dollar. */
  constructor(book: BudgetBook, owners: BudgetOwner[], perUnit: number) {
    this.book = book;
    this.parts = owners.map((owner) => ({ owner, taken: 0 }));
    this.perUnit = perUnit;
  }

  /** Lowers what is to be reserved to what the budgets carry. Rejects with 429 when that is too little. */
  async take(quote: Amounts): Promise<Amounts> {
    const { amount, least, fair, most } = quote;
    if (most === 0) return quote;
    const granted = await this.grow({ amount: Math.max(1, amount), least: Math.max(1, least) }).catch(throwAway);
    if (typeof granted !== "number") throw this.refused(granted.part, granted.refusal);
    const cap = (value: number): number => Math.min(value, granted);
    // The rest of a balance is not taken beyond the budget.
    return { amount: cap(amount), least: cap(least), fair: cap(fair), most: granted < amount ? granted : cap(most) };
  }

  /** The lease book for a stream that goes on reserving. */
  within(leases: Extender): Extender {
    return { extend: (reservation, want) => this.extend(leases, reservation, want) };
  }

  private async extend(leases: Extender, reservation: Reservation, want: Parameters<Extender["extend"]>[1]) {
    const granted = await this.grow(want);
    if (typeof granted !== "number") return 0;
    return leases.extend(reservation, { ...want, amount: granted, least: Math.min(want.least, granted) });
  }

  /** The same of every budget. */
  private async grow({ amount, least }: BudgetWant): Promise<number | { part: Part; refusal: BudgetRefusal }> {
    let granted = amount;
    const grown: { part: Part; by: number }[] = [];
    for (const part of this.parts) {
      const answer = await this.book.take(part.owner, { amount: granted, least });
      if (typeof answer !== "number") {
        for (const { part: earlier, by } of grown) this.shrink(earlier, by);
        return { part, refusal: answer };
      }
      part.taken += answer;
      grown.push({ part, by: answer });
      granted = answer;
    }
    for (const { part, by } of grown) this.shrink(part, by - granted);
    return granted;
  }

  private shrink(part: Part, by: number): void {
    part.taken -= by;
    this.book.settle(part.owner, by, 0);
  }

  /** Undoes `take`, for a request that goes on with another model. */
  giveBack(): void {
    for (const part of this.parts) this.shrink(part, part.taken);
  }

  /** For a request that ended without a charge. Only the first call of this and `whenBooked` counts. */
  giveUp(): void {
    this.whenBooked(0)();
  }

  /** What the request costs. The function is to be called when the charge is committed: until then the budget holds it. */
  whenBooked(cost: number): () => void {
    if (this.isSettled) return () => {};
    this.isSettled = true;
    const book = this.part();
    return () => book(cost);
  }

  /** What was taken until now, but for `kept`, is for a charge of its own. The function is to be called when that is committed. */
  part(kept = 0): (cost: number) => void {
    const taken = this.parts.map(({ owner, taken: amount }) => ({ owner, amount: Math.max(0, amount - kept) }));
    for (const part of this.parts) part.taken = Math.min(part.taken, kept);
    return (cost) => {
      for (const { owner, amount } of taken) this.book.settle(owner, amount, cost);
    };
  }

  private refused({ owner }: Part, { period, resetsAt, limit, used }: BudgetRefusal): RelayError {
    const whose = owner.owner === "token" ? "Key" : "Account";
    if (period === null)
      return new RelayError("budget_reserved", { text: `budgetReserved${whose}` }, { retryAfter: 1 });
    const amounts = { limit: dollars(limit, this.perUnit), used: dollars(used, this.perUnit) };
    const said = { text: `budget${whose}`, period: `@${period}`, ...amounts, resets: timeText(resetsAt) };
    return new RelayError("budget_exceeded", said, { resetsAt });
  }
}
