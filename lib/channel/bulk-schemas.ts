import { z } from "zod";
import { channelFields, channelFilterSchema } from "./schemas";

/** Rows that one change may touch. */
export const BULK_ROWS_MAX = 10_000;
/** Rows of a preview that are shown one by one. */
export const BULK_ROWS_SHOWN = 50;

const names = z
  .array(z.string().trim().min(1).max(255))
  .min(1, "bulkNothingGiven")
  .max(500)
  .refine((list) => list.every((name) => !name.includes(",")), { message: "valueInvalid" });
const how = z.enum(["add", "remove", "replace"]);

/** What is done to every row that is meant. */
export const bulkChangeSchema = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("enable") }),
  z.object({ kind: z.literal("disable") }),
  z.object({ kind: z.literal("delete") }),
  z.object({ kind: z.literal("tag"), tag: channelFields.tag }),
  z.object({ kind: z.literal("groups"), how, names }),
  z.object({ kind: z.literal("models"), how, names }),
  z.object({ kind: z.literal("priority"), value: channelFields.priority }),
  z.object({ kind: z.literal("weight"), value: channelFields.weight }),
]);
export type BulkChange = z.output<typeof bulkChangeSchema>;

/** Which rows are meant: these, or all that match. */
export const bulkTargetSchema = z.union([
  z.object({ ids: z.array(z.number().int().positive()).min(1, "channelIdsMissing").max(BULK_ROWS_MAX) }),
  z.object({ filter: channelFilterSchema }),
]);

export type BulkTarget = z.input<typeof bulkTargetSchema>;

export const bulkInputSchema = z.object({ target: bulkTargetSchema, change: bulkChangeSchema });
export type BulkInput = z.input<typeof bulkInputSchema>;

export const bulkApplySchema = bulkInputSchema.extend({
  /** How many rows the preview found: what has come or gone since is not changed unseen. */
  expected: z.number().int().min(0),
});
