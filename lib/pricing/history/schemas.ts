import { z } from "zod";

const id = z.number("parametersInvalid").int("parametersInvalid").positive("parametersInvalid");

export const priceChangeSearchSchema = z.object({
  /** Part of a model's or group's name. */
  name: z.string().trim().max(255, "parametersInvalid").default(""),
  /** Only changes with a smaller id. */
  before: id.max(Number.MAX_SAFE_INTEGER, "parametersInvalid").optional(),
});
export type PriceChangeSearch = z.input<typeof priceChangeSearchSchema>;

export const undoPriceChangeSchema = z.object({ id });
