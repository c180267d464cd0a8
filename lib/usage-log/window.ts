import { ROLE } from "@/lib/context";
import { OWN_LOG_SECONDS } from "./schemas";

const MINUTE = 60;
const BEHIND_SECONDS = 30 * 86_400;
const AHEAD_SECONDS = 3_600;

/** Unix seconds, both ends included. */
export type LogWindow = { start: number; end: number };

/**
 * What the log shows unless a time is chosen (B295): about 30 days back to one hour ahead, to the minute. Ordinary
 * users see three days (decision T7).
 */
export function defaultLogWindow(nowSeconds: number, role: number): LogWindow {
  const behind = role >= ROLE.admin ? BEHIND_SECONDS : OWN_LOG_SECONDS;
  const minute = nowSeconds - (nowSeconds % MINUTE);
  return { start: minute - behind, end: minute + AHEAD_SECONDS };
}
