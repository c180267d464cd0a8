import { z } from "zod";
import { RECORDED_KEYS } from "@/lib/option/price-record-commands";
import { adjustSchema } from "../adjust/schemas";
import { applyPricesSchema } from "../sync/schemas";

/** The options whose change has an effect that can be shown. */
export const EFFECT_KEYS = [...RECORDED_KEYS, "BatchPriceRatio"] as const;
export type EffectKey = (typeof EFFECT_KEYS)[number];

/** A draft of price options; null = the default. */
export const priceDraftSchema = z.object({
  changes: z
    .array(z.object({ key: z.enum(EFFECT_KEYS, "parametersInvalid"), value: z.string().max(1_000_000).nullable() }))
    .max(EFFECT_KEYS.length, "parametersInvalid"),
});
export type PriceDraftInput = z.infer<typeof priceDraftSchema>;

export const previewOffersSchema = applyPricesSchema.pick({ prices: true });
export type PreviewOffersInput = z.infer<typeof previewOffersSchema>;

export const previewAdjustmentSchema = adjustSchema;
