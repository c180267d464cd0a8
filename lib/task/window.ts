import { startOfDay } from "@/lib/local-day";

const MINUTE = 60;
const AHEAD_SECONDS = 3_600;

/** The default period of the list (B296), in unix seconds: from midnight in the user's time zone to one hour ahead. */
export function defaultTaskWindow(nowSeconds: number, timeZone: string): { start: number; end: number } {
  const minute = nowSeconds - (nowSeconds % MINUTE);
  return { start: startOfDay(nowSeconds, timeZone), end: minute + AHEAD_SECONDS };
}
