import { STATEMENT_LINES_MAX, type StatementLate } from "./month-statement-types";

export const DAY = 86_400;

/** What was booked for a day (its first second): requests, their tokens, what they were charged, and changes of the balance. */
export type DayTotals = { day: number; count: number; tokens: number; charged: number; credited: number };

/** What an issued statement closed with, and the days that it contains, also late ones of earlier months. */
export type IssuedDays = { month: string; closing: number; days: readonly DayTotals[] };

/** The sums of a month's statement; `days` is all that it contains. */
export type MonthSums = {
  opening: number;
  late: StatementLate[];
  lateSum: number;
  closing: number;
  days: DayTotals[];
};

type Bounds = { month: string; from: number; until: number };

/** `isKept` is false for a month before the account's first one, which is no part of the chain. */
export type StatementChain = {
  months: readonly string[];
  isKept: boolean;
  /** To be called for each of the months, in their order. */
  next: (bounds: Bounds) => MonthSums;
};

/**
 * The statements from the last issued one up to `wanted`: each opens with what the one before closed with. What has come for
 * days of an earlier one since that was issued is late. `days` is what the books have by now, in the order of time.
 */
export function beginChain(
  issued: readonly IssuedDays[],
  days: readonly DayTotals[],
  wanted: Pick<Bounds, "month">,
): StatementChain {
  const last = issued.at(-1);
  // Day 0 has what was used before an import.
  const firstDay = days.find(({ day }) => day >= DAY)?.day;
  const first = last ? monthAfter(last.month) : firstDay === undefined ? null : monthOf(firstDay);
  const isKept = first !== null && wanted.month >= first;
  const known = new Map<number, DayTotals>();
  for (const { days: contained } of isKept ? issued : []) for (const totals of contained) add(known, totals);
  let closing = isKept ? (last?.closing ?? null) : null;
  return {
    months: isKept ? monthsBetween(first, wanted.month) : [wanted.month],
    isKept,
    next({ from, until }) {
      const earlier = days.filter(({ day }) => day < from);
      const own = days.filter(({ day }) => day >= from && day < until);
      const opening = closing ?? balanceOf(earlier);
      const news = earlier.map((totals) => minus(totals, known.get(totals.day))).filter(isSomething);
      const lateDays = closing === null ? [] : news;
      const contained = [...news, ...own];
      for (const totals of contained) add(known, totals);
      const lateSum = balanceOf(lateDays);
      closing = opening + lateSum + balanceOf(own);
      return { opening, late: toLines(lateDays), lateSum, closing, days: contained };
    },
  };
}

function add(known: Map<number, DayTotals>, totals: DayTotals): void {
  const before = known.get(totals.day);
  known.set(totals.day, before ? minus(totals, minus(EMPTY, before)) : totals);
}

const EMPTY: DayTotals = { day: 0, count: 0, tokens: 0, charged: 0, credited: 0 };

function minus(a: DayTotals, b: DayTotals = EMPTY): DayTotals {
  return {
    day: a.day,
    count: a.count - b.count,
    tokens: a.tokens - b.tokens,
    charged: a.charged - b.charged,
    credited: a.credited - b.credited,
  };
}

function isSomething({ count, tokens, charged, credited }: DayTotals): boolean {
  return count !== 0 || tokens !== 0 || charged !== 0 || credited !== 0;
}

function balanceOf(days: readonly DayTotals[]): number {
  return days.reduce((sum, { credited, charged }) => sum + credited - charged, 0);
}

function toLines(days: readonly DayTotals[]): StatementLate[] {
  const lines = days.map(({ day, count, tokens, charged, credited }) => ({
    day: day < DAY ? null : day,
    count,
    tokens,
    amount: credited - charged,
  }));
  const rest = lines.splice(STATEMENT_LINES_MAX);
  if (rest.length === 0) return lines;
  const sum = (of: (line: StatementLate) => number) => rest.reduce((total, line) => total + of(line), 0);
  const together = { day: null, count: sum((line) => line.count), tokens: sum((line) => line.tokens) };
  return [...lines, { ...together, amount: sum((line) => line.amount) }];
}

function monthOf(seconds: number): string {
  return new Date(seconds * 1_000).toISOString().slice(0, 7);
}

function monthAfter(month: string): string {
  const at = new Date(`${month}-01T00:00:00Z`);
  at.setUTCMonth(at.getUTCMonth() + 1);
  return at.toISOString().slice(0, 7);
}

function monthsBetween(first: string, last: string): string[] {
  const months: string[] = [];
  for (let month = first; month <= last; month = monthAfter(month)) months.push(month);
  return months;
}
