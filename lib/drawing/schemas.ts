import { z } from "zod";
import { pageShape } from "@/lib/page";

// An invalid filter is refused: if it were ignored, all rows would be shown.
const text = z.string().trim().max(64).default("");
const milliseconds = z.number().int().min(0).optional();

export const drawingSearchSchema = z.object({
  ...pageShape,
  /** "all" is for administrators. */
  scope: z.enum(["all", "own"]),
  mjId: text,
  status: text,
  action: text,
  /** Administrators only. */
  channelId: z.number().int().min(1).max(2_147_483_647).optional(),
  from: milliseconds,
  until: milliseconds,
});
export type DrawingSearch = z.input<typeof drawingSearchSchema>;

const MINUTE = 60;
const BEHIND_SECONDS = 30 * 86_400;

/** The default period of the list (B104, B295), in unix seconds: from 30 days ago to the end of this minute. */
export function defaultDrawingWindow(nowSeconds: number): { start: number; end: number } {
  const minute = nowSeconds - (nowSeconds % MINUTE);
  return { start: minute - BEHIND_SECONDS, end: minute + MINUTE - 1 };
}
