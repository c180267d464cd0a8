/** In the order of the arrays that hold a value for each. */
export const BUDGET_PERIODS = ["day", "week", "month"] as const;
export type BudgetPeriod = (typeof BUDGET_PERIODS)[number];

/** Unix seconds. `end` is the start of the next period. */
export type PeriodTimes = Record<BudgetPeriod, { start: number; end: number }>;

export type Budgets = { budgetDay: number; budgetWeek: number; budgetMonth: number };

/** The budgets in the order of BUDGET_PERIODS; 0 = no limit. */
export function budgetsOf({ budgetDay, budgetWeek, budgetMonth }: Budgets): [number, number, number] {
  return [budgetDay, budgetWeek, budgetMonth];
}

const DAY_MS = 86_400_000;
const MONDAY = 1;

/** The day, the week from Monday on, and the month that a moment lies in, in a time zone. Pure. */
export function budgetPeriods(nowSeconds: number, timeZone: string): PeriodTimes {
  const clock = clockOf(timeZone);
  const today = new Date(localMs(nowSeconds, clock));
  const [year, month, date] = [today.getUTCFullYear(), today.getUTCMonth(), today.getUTCDate()];
  const sinceMonday = (today.getUTCDay() + 7 - MONDAY) % 7;
  const midnight = (localDateMs: number): number => toSeconds(localDateMs, clock);
  const day = Date.UTC(year, month, date);
  const monday = day - sinceMonday * DAY_MS;
  return {
    day: { start: midnight(day), end: midnight(day + DAY_MS) },
    week: { start: midnight(monday), end: midnight(monday + 7 * DAY_MS) },
    month: { start: midnight(Date.UTC(year, month, 1)), end: midnight(Date.UTC(year, month + 1, 1)) },
  };
}

/** An unknown time zone is treated as UTC. */
function clockOf(timeZone: string): Intl.DateTimeFormat {
  const format = {
    year: "numeric",
    month: "2-digit",
    day: "2-digit",
    hour: "2-digit",
    minute: "2-digit",
    second: "2-digit",
    hourCycle: "h23",
  } as const;
  try {
    return new Intl.DateTimeFormat("en-CA", { ...format, timeZone });
  } catch {
    return new Intl.DateTimeFormat("en-CA", { ...format, timeZone: "UTC" });
  }
}

/** What the clock on the wall shows, as if it were UTC. */
function localMs(seconds: number, clock: Intl.DateTimeFormat): number {
  const part: Partial<Record<string, number>> = {};
  for (const { type, value } of clock.formatToParts(seconds * 1_000)) part[type] = Number(value);
  const { year = 1970, month = 1, day = 1, hour = 0, minute = 0, second = 0 } = part;
  return Date.UTC(year, month - 1, day, hour, minute, second);
}

function toSeconds(local: number, clock: Intl.DateTimeFormat): number {
  const offsetAt = (ms: number): number => localMs(ms / 1_000, clock) - ms;
  const guess = local - offsetAt(local);
  const found = local - offsetAt(guess);
  // Where clocks are put forward at midnight there is none, and the day begins when they are.
  const midnight = localMs(found / 1_000, clock) < local ? guess : found;
  // Where they are put back over midnight there are two midnights, and the day begins with the first.
  const before = localMs(midnight / 1_000 - 1, clock) - local;
  return (before >= 0 ? midnight - 1_000 - before : midnight) / 1_000;
}
