const HALF_DAY = 43_200;
const DAY = 86_400;

/** The last midnight before a time, in unix seconds. An unknown time zone is treated as UTC. */
export function startOfDay(seconds: number, timeZone: string): number {
  const clock = clockOf(timeZone);
  const guess = seconds - sinceMidnight(seconds, clock);
  // On a day when the clocks change, the guess is an hour too early or too late.
  const off = sinceMidnight(guess, clock);
  return firstMidnight(off < HALF_DAY ? guess - off : guess + (DAY - off), clock);
}

/** Where clocks go back over midnight, a day has two midnights and begins with the first: the first of each day. */
export function firstMidnights(midnights: readonly number[], timeZone: string): number[] {
  const clock = clockOf(timeZone);
  return midnights.map((seconds) => firstMidnight(seconds, clock));
}

function firstMidnight(seconds: number, clock: Intl.DateTimeFormat): number {
  const before = sinceMidnight(seconds - 1, clock);
  return before < HALF_DAY ? seconds - 1 - before : seconds;
}

/** The midnight that begins the week's Monday, in unix seconds. An unknown time zone is treated as UTC. */
export function startOfWeek(seconds: number, timeZone: string): number {
  const midday = startOfDay(seconds, timeZone) + HALF_DAY;
  return startOfDay(midday - weekdayOf(midday, timeZone) * DAY, timeZone);
}

/** Days since Monday. */
function weekdayOf(seconds: number, timeZone: string): number {
  const day = formatIn(timeZone, { year: "numeric", month: "numeric", day: "numeric" }).formatToParts(seconds * 1000);
  const part = (type: string) => Number(day.find((found) => found.type === type)?.value);
  const sunday = new Date(Date.UTC(part("year"), part("month") - 1, part("day"))).getUTCDay();
  return (sunday + 6) % 7;
}

function clockOf(timeZone: string): Intl.DateTimeFormat {
  return formatIn(timeZone, { hour: "2-digit", minute: "2-digit", second: "2-digit", hourCycle: "h23" });
}

function formatIn(timeZone: string, format: Intl.DateTimeFormatOptions): Intl.DateTimeFormat {
  try {
    return new Intl.DateTimeFormat("en-GB", { ...format, timeZone });
  } catch {
    return new Intl.DateTimeFormat("en-GB", { ...format, timeZone: "UTC" });
  }
}

function sinceMidnight(seconds: number, clock: Intl.DateTimeFormat): number {
  const [hours = 0, minutes = 0, rest = 0] = clock
    .format(seconds * 1000)
    .split(":")
    .map(Number);
  return hours * 3_600 + minutes * 60 + rest;
}
