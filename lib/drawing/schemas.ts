import { z } from "zod";
import { pageShape } from "@/lib/page";

const text = z.string().trim().max(64).catch("").default("");
const milliseconds = z.number().int().min(0).optional().catch(undefined);

export const drawingSearchSchema = z.object({
  ...pageShape,
  /** "all" is for administrators. */
  scope: z.enum(["all", "own"]),
  mjId: text,
  status: text,
  action: text,
  /** Administrators only. */
  channelId: z.number().int().min(1).optional().catch(undefined),
  from: milliseconds,
  until: milliseconds,
});
export type DrawingSearch = z.input<typeof drawingSearchSchema>;
