import { z } from "zod";

export const transferEarningsSchema = z.object({
  /** In quota; at least QuotaPerUnit. */
  quota: z.number("transferInvalid").int("transferInvalid").min(1, "transferInvalid"),
});
export type TransferEarningsInput = z.input<typeof transferEarningsSchema>;
