import { z } from "zod";
import type { CostTerms } from "@/lib/billing/cost";
import { isMeterPrices, type MeterPrices } from "@/lib/meters";

/** USD; more would not fit into a charge. */
const PRICE_MAX = 1_000_000;
const FACTOR_MAX = 1_000;
const MODELS_MAX = 2_000;

const METERS_MAX = 50;

const amount = z.number().min(0).max(PRICE_MAX);
const meters = z
  .custom<MeterPrices>(isMeterPrices)
  .refine((map) => Object.keys(map).length > 0 && Object.keys(map).length <= METERS_MAX);
const prices = z
  .record(
    z.string().min(1).max(255),
    z
      .strictObject({
        input: amount.optional(),
        output: amount.optional(),
        cached: amount.optional(),
        meters: meters.optional(),
        per_call: amount.optional(),
      })
      // A price for the answer alone would make the prompt free without saying so.
      .refine(
        ({ input, output, cached, meters, per_call }) =>
          input !== undefined ||
          per_call !== undefined ||
          (meters !== undefined && output === undefined && cached === undefined),
      ),
  )
  .refine((models) => Object.keys(models).length <= MODELS_MAX);

/** The fields of a channel's setting JSON that say what its upstream takes. */
const schema = z.object({
  cost_factor: z.number().min(0).max(FACTOR_MAX).nullish(),
  cost_prices: prices.nullish(),
});

/** Whether the fields about costs can be used. */
export function isCostSetting(json: Record<string, unknown>): boolean {
  return schema.safeParse(json).success;
}

/** The list price where nothing is said; not known where what is said cannot be read. */
export function readCostSetting(json: Record<string, unknown>): CostTerms {
  const { data } = schema.safeParse(json);
  if (!data) return { factor: null, prices: {} };
  return { factor: data.cost_factor ?? 1, prices: data.cost_prices ?? {} };
}
