import { z } from "zod";
import { SELECTED_MAX } from "../sync/offer";

/** Two decimals; a price that falls by all of it is free, which has to be set on purpose. */
const percent = z
  .number("percentInvalid")
  .gt(-100, "percentInvalid")
  .max(1_000, "percentInvalid")
  .refine((value) => Math.abs(value * 100 - Math.round(value * 100)) < 1e-6, "percentInvalid");
const amount = z.number("amountInvalid").min(0, "amountInvalid").max(1_000_000, "amountInvalid");

/** How the prices of a selection change. Amounts in USD. */
export const adjustmentSchema = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("percent"), percent }),
  /** For a million tokens; null = the answers cost as many times the prompt as before. */
  z.object({ kind: z.literal("tokens"), input: amount, output: amount.nullable() }),
  z.object({ kind: z.literal("call"), call: amount }),
]);
export type Adjustment = z.infer<typeof adjustmentSchema>;

export const adjustSchema = z.object({
  models: z.array(z.string().min(1).max(255)).min(1, "pricesNoneSelected").max(SELECTED_MAX, "pricesTooMany"),
  adjustment: adjustmentSchema,
});
export type AdjustInput = z.infer<typeof adjustSchema>;

export const applyAdjustmentSchema = adjustSchema.extend({
  /** The `state` of the prices that were shown. */
  state: z.string().regex(/^[0-9a-f]{64}$/, "parametersInvalid"),
});
export type ApplyAdjustmentInput = z.infer<typeof applyAdjustmentSchema>;
