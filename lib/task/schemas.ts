import { z } from "zod";
import { pageShape } from "@/lib/page";

// A filter that makes no sense is refused: left aside, it would show every row.
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
