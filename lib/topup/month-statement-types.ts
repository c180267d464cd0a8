import type { QuotaDisplay } from "@/lib/money/display";

/** A change of the balance that is not usage; several of a kind together where there are too many. */
export type StatementCredit = {
  /** Unix seconds; null = several together. */
  at: number | null;
  /** A kind of the ledger. */
  kind: string;
  reference: string;
  note: string;
  /** 1, or how many are together. */
  count: number;
  amount: number;
};

/** What the requests of a model were charged; `model` null = all others together. */
export type StatementCharge = { model: string | null; count: number; tokens: number; amount: number };

/** What was booked for a day of an earlier month after that month's statement was issued. */
export type StatementLate = {
  /** Its first second; null = what was used before an import, or several days together. */
  day: number | null;
  count: number;
  tokens: number;
  /** What it adds to the balance; charges are negative. */
  amount: number;
};

/** A month of an account: opening + credits − charges + late = closing, in quota. Once issued it stays as it is. */
export type MonthStatement = {
  /** Such as ST-202610-42. */
  number: string;
  user: { id: number; username: string; displayName: string; email: string };
  /** yyyy-MM; months begin and end at midnight UTC, as the hours of usage do. */
  month: string;
  from: number;
  /** Exclusive; of the running month, now. */
  until: number;
  /** False while the month is running, and an hour after its end: the last charges are booked then. */
  isComplete: boolean;
  /** How amounts are shown: of a finished month, as when it ended. */
  display: QuotaDisplay;
  opening: number;
  /** In the order of time; by kind where there are more than STATEMENT_LINES_MAX. */
  credits: StatementCredit[];
  creditSum: number;
  /** Largest first; not negative, except where a model's refunds of tasks were more than its charges. */
  charges: StatementCharge[];
  chargeSum: number;
  /** In the order of days; the rest together where there are more than STATEMENT_LINES_MAX. */
  late: StatementLate[];
  lateSum: number;
  closing: number;
};

/** Every amount of a statement, for their decimals. */
export function amountsOf({ credits, charges, late, ...sums }: MonthStatement): number[] {
  const { opening, creditSum, chargeSum, lateSum, closing } = sums;
  const lines = [...credits, ...charges, ...late].map(({ amount }) => amount);
  return [opening, creditSum, chargeSum, lateSum, closing, ...lines];
}

/** More credits are summed by kind, more models into one line, so that a statement stays a document. */
export const STATEMENT_LINES_MAX = 500;
