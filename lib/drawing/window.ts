const MINUTE = 60;
const BEHIND_SECONDS = 30 * 86_400;

/** The default period of the list (B104, B295), in unix seconds: from 30 days ago to the end of this minute. */
export function defaultDrawingWindow(nowSeconds: number): { start: number; end: number } {
  const minute = nowSeconds - (nowSeconds % MINUTE);
  return { start: minute - BEHIND_SECONDS, end: minute + MINUTE - 1 };
}
