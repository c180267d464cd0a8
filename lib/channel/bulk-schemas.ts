import { z } from "zod";
import { channelFields, channelFilterSchema } from "./schemas";

/** Largest number of rows in one bulk change. */
export const BULK_ROWS_MAX = 10_000;
/** Rows that the preview lists. */
export const BULK_ROWS_SHOWN = 50;

const names = z
  .array(z.string().trim().min(1).max(255))
  .min(1, "bulkNothingGiven")
  .max(500)
  .refine((list) => list.every((name) => !name.includes(",")), { message: "valueInvalid" });
const how = z.enum(["add", "remove", "replace"]);

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

/** Selected ids, or all channels that match a filter. */
export const bulkTargetSchema = z.union([
  z.object({ ids: z.array(z.number().int().positive()).min(1, "channelIdsMissing").max(BULK_ROWS_MAX) }),
  z.object({ filter: channelFilterSchema }),
]);

export type BulkTarget = z.input<typeof bulkTargetSchema>;

export const bulkInputSchema = z.object({ target: bulkTargetSchema, change: bulkChangeSchema });
export type BulkInput = z.input<typeof bulkInputSchema>;

export const bulkApplySchema = bulkInputSchema.extend({
  /** The fingerprint of the preview. If it differs now, the change is refused. */
  expected: z.string().max(64),
});
