import { z } from "zod";
import { RECORDED_KEYS } from "@/lib/option/price-record-commands";
import { adjustSchema } from "../adjust/schemas";
import { applyPricesSchema } from "../sync/schemas";

/** A draft of price options; null = the default. */
export const priceDraftSchema = z.object({
  changes: z
    .array(z.object({ key: z.enum(RECORDED_KEYS, "parametersInvalid"), value: z.string().max(1_000_000).nullable() }))
    .max(RECORDED_KEYS.length, "parametersInvalid"),
});
export type PriceDraftInput = z.infer<typeof priceDraftSchema>;

export const previewOffersSchema = applyPricesSchema.pick({ prices: true });
export type PreviewOffersInput = z.infer<typeof previewOffersSchema>;

export const previewAdjustmentSchema = adjustSchema;
