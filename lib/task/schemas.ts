import { z } from "zod";
import { pageShape } from "@/lib/page";

const text = z.string().trim().max(64).catch("").default("");
const seconds = z.number().int().min(0).optional().catch(undefined);

export const taskSearchSchema = z.object({
  ...pageShape,
  /** "all" is for administrators. */
  scope: z.enum(["all", "own"]),
  platform: text,
  taskId: text,
  status: text,
  action: text,
  /** Administrators only. */
  channelId: z.number().int().min(1).optional().catch(undefined),
  from: seconds,
  until: seconds,
});
export type TaskSearch = z.input<typeof taskSearchSchema>;
