import { ROLE } from "@/lib/context";
import { OWN_LOG_SECONDS } from "./schemas";

const MINUTE = 60;
const BEHIND_SECONDS = 30 * 86_400;

/** Unix seconds, both inclusive. */
export type LogWindow = { start: number; end: number };

/**
 * The default period of the log (B295): from about 30 days ago to the end of this minute; three days for ordinary users
 * (decision T7).
 */
export function defaultLogWindow(nowSeconds: number, role: number): LogWindow {
  const behind = role >= ROLE.admin ? BEHIND_SECONDS : OWN_LOG_SECONDS;
  const minute = nowSeconds - (nowSeconds % MINUTE);
  return { start: minute - behind, end: minute + MINUTE - 1 };
}
