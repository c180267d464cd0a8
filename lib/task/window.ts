const MINUTE = 60;
const HALF_DAY = 43_200;
const DAY = 86_400;
const AHEAD_SECONDS = 3_600;

/** The default period of the list (B296), in unix seconds: from midnight in the user's time zone to one hour ahead. */
export function defaultTaskWindow(nowSeconds: number, timeZone: string): { start: number; end: number } {
  const minute = nowSeconds - (nowSeconds % MINUTE);
  return { start: startOfDay(nowSeconds, timeZone), end: minute + AHEAD_SECONDS };
}

/** The last midnight before a time. An unknown time zone is treated as UTC. */
function startOfDay(nowSeconds: number, timeZone: string): number {
  const clock = clockOf(timeZone);
  const guess = nowSeconds - sinceMidnight(nowSeconds, clock);
  // On a day when the clocks change, the guess is an hour too early or too late.
  const off = sinceMidnight(guess, clock);
  return off < HALF_DAY ? guess - off : guess + (DAY - off);
}

function clockOf(timeZone: string): Intl.DateTimeFormat {
  const format = { hour: "2-digit", minute: "2-digit", second: "2-digit", hourCycle: "h23" } as const;
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
