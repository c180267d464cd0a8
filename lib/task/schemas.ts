import { z } from "zod";
import { startOfDay } from "@/lib/local-day";
import { pageShape } from "@/lib/page";

// An invalid filter is refused: if it were ignored, all rows would be shown.
const text = z.string().trim().max(64).default("");
const seconds = z.number().int().min(0).optional();

export const taskSearchSchema = z.object({
  ...pageShape,
  /** "all" is for administrators. */
  scope: z.enum(["all", "own"]),
  platform: text,
  taskId: text,
  status: text,
  action: text,
  /** Administrators only. */
  channelId: z.number().int().min(1).max(2_147_483_647).optional(),
  from: seconds,
  until: seconds,
});
export type TaskSearch = z.input<typeof taskSearchSchema>;

const MINUTE = 60;

/** The default period of the list (B296), in unix seconds: from midnight in the user's time zone to the end of this minute. */
export function defaultTaskWindow(nowSeconds: number, timeZone: string): { start: number; end: number } {
  const minute = nowSeconds - (nowSeconds % MINUTE);
  return { start: startOfDay(nowSeconds, timeZone), end: minute + MINUTE - 1 };
}
