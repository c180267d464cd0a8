import { z } from "zod";
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
