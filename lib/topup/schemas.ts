import { z } from "zod";
import { pageShape } from "@/lib/page";

export const amountSchema = z.object({
  amount: z
    .number("topUpAmountInvalid")
    .int("topUpAmountInvalid")
    .min(1, "topUpAmountInvalid")
    .max(2_000_000_000, "topUpAmountInvalid"),
});

export const payWithEpaySchema = amountSchema.extend({
  method: z.enum(["zfb", "wx"], { error: "paymentMethodUnknown" }),
});
export type PayWithEpayInput = z.input<typeof payWithEpaySchema>;

const moment = z.coerce.number().int().min(0).optional().catch(undefined);

export const topUpSearchSchema = z.object({
  ...pageShape,
  status: z.enum(["pending", "success", "expired"]).optional().catch(undefined),
  provider: z.enum(["epay", "stripe"]).optional().catch(undefined),
  /** Trade number, or a user's id or name; administrators only. */
  keyword: z.string().trim().max(100).catch("").default(""),
  from: moment,
  until: moment,
});
export type TopUpSearch = z.input<typeof topUpSearchSchema>;

export const callbackSearchSchema = z.object({
  ...pageShape,
  outcome: z.enum(["credited", "ignored", "refused", "failed"]).optional().catch(undefined),
  keyword: z.string().trim().max(100).catch("").default(""),
});
export type CallbackSearch = z.input<typeof callbackSearchSchema>;

export const LEDGER_KINDS = ["grant", "adjustment", "redemption", "topup", "invitation", "transfer", "refund"] as const;

export const ledgerSearchSchema = z.object({
  ...pageShape,
  kind: z.enum(LEDGER_KINDS).optional().catch(undefined),
  /** Another user's ledger; administrators only. */
  userId: z.coerce.number().int().optional().catch(undefined),
  from: moment,
  until: moment,
});
export type LedgerSearch = z.input<typeof ledgerSearchSchema>;

export const STATEMENT_KINDS = [...LEDGER_KINDS, "consumption"] as const;

export const statementSearchSchema = z.object({
  ...pageShape,
  kind: z.enum(STATEMENT_KINDS).optional().catch(undefined),
});
export type StatementSearch = z.input<typeof statementSearchSchema>;
