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

/** A month of an account: opening + credits − charges = closing, in quota. */
export type MonthStatement = {
  /** Such as ST-202610-42. */
  number: string;
  user: { id: number; username: string; displayName: string; email: string };
  /** yyyy-MM; months begin and end at midnight UTC, as the hours of usage do. */
  month: string;
  from: number;
  /** Exclusive; of the running month, now. */
  until: number;
  /** False while the month is running. */
  isComplete: boolean;
  opening: number;
  /** In the order of time; by kind where there are more than STATEMENT_LINES_MAX. */
  credits: StatementCredit[];
  creditSum: number;
  /** Largest first; not negative, except where a model's refunds of tasks were more than its charges. */
  charges: StatementCharge[];
  chargeSum: number;
  closing: number;
};

/** Every amount of a statement, for their decimals. */
export function amountsOf({ opening, creditSum, chargeSum, closing, credits, charges }: MonthStatement): number[] {
  return [opening, creditSum, chargeSum, closing, ...[...credits, ...charges].map(({ amount }) => amount)];
}

/** More credits are summed by kind, more models into one line, so that a statement stays a document. */
export const STATEMENT_LINES_MAX = 500;
