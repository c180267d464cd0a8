import { z } from "zod";
import { MEDIA_RATIOS, type MediaAmount } from "@/lib/billing/media-prices";
import { isMeterPrices, type MeterPrices } from "@/lib/meters";
import { SELECTED_MAX } from "./offer";

export const priceListUrlSchema = z.object({
  url: z.string("egressUrlInvalid").trim().min(1, "egressUrlInvalid").max(2_000, "egressUrlInvalid"),
  /** What a dollar of the list is worth in the site's currency. */
  rate: z.number("parametersInvalid").min(1e-6, "parametersInvalid").max(1e6, "parametersInvalid").default(1),
});
export type PriceListInput = z.input<typeof priceListUrlSchema>;

const amount = z.number().min(0).nullable();

const meters = z.custom<MeterPrices>(isMeterPrices);

const media = z.strictObject(
  Object.fromEntries(MEDIA_RATIOS.map(({ amount: name }) => [name, z.number().min(0).optional()])) as Record<
    MediaAmount,
    z.ZodOptional<z.ZodNumber>
  >,
);

export const applyPricesSchema = z.object({
  /** The `state` of the comparison that was shown. */
  state: z.string().regex(/^[0-9a-f]{64}$/, "parametersInvalid"),
  /** As compact as the call's bound on values needs: model, per call, input, output, cached, cache write, meters, media, in USD. */
  prices: z
    .array(
      z.tuple([
        z.string().min(1).max(255),
        amount,
        amount,
        amount,
        amount,
        amount,
        meters.nullable().optional(),
        media.optional(),
      ]),
    )
    .min(1, "pricesNoneSelected")
    .max(SELECTED_MAX, "pricesTooMany"),
});
export type ApplyPricesInput = z.infer<typeof applyPricesSchema>;
export type PriceTuple = ApplyPricesInput["prices"][number];
