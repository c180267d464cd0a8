import { startOfDay } from "@/lib/local-day";

const MINUTE = 60;

/** The default period of the list (B296), in unix seconds: from midnight in the user's time zone to the end of this minute. */
export function defaultTaskWindow(nowSeconds: number, timeZone: string): { start: number; end: number } {
  const minute = nowSeconds - (nowSeconds % MINUTE);
  return { start: startOfDay(nowSeconds, timeZone), end: minute + MINUTE - 1 };
}
