const MINUTE = 60;
const BEHIND_SECONDS = 30 * 86_400;
const AHEAD_SECONDS = 3_600;

/** What the list shows unless a time is chosen (B104, B295), in unix seconds: 30 days back to one hour ahead, to the minute. */
export function defaultDrawingWindow(nowSeconds: number): { start: number; end: number } {
  const minute = nowSeconds - (nowSeconds % MINUTE);
  return { start: minute - BEHIND_SECONDS, end: minute + AHEAD_SECONDS };
}
