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

// An invalid filter is refused: if it were ignored, all rows would be shown.
const moment = z.number().int().min(0).optional();

export const ORDER_STATES = ["pending", "success", "expired"] as const;
export const PROVIDERS = ["epay", "stripe"] as const;

export const topUpSearchSchema = z.object({
  ...pageShape,
  status: z.enum(ORDER_STATES).optional(),
  provider: z.enum(PROVIDERS).optional(),
  /** Trade number, or a user's id or name; administrators only. */
  keyword: z.string().trim().max(100).default(""),
  from: moment,
  until: moment,
});
export type TopUpSearch = z.input<typeof topUpSearchSchema>;

export const callbackSearchSchema = z.object({
  ...pageShape,
  outcome: z.enum(["credited", "ignored", "refused", "failed"]).optional(),
  keyword: z.string().trim().max(100).default(""),
});
export type CallbackSearch = z.input<typeof callbackSearchSchema>;

export const LEDGER_KINDS = [
  "grant",
  "adjustment",
  "redemption",
  "topup",
  "invitation",
  "transfer",
  "refund",
  "reversal",
] as const;

export const ledgerSearchSchema = z.object({
  ...pageShape,
  kind: z.enum(LEDGER_KINDS).optional(),
  /** Another user's ledger; administrators only. */
  userId: z.number().int().min(1).max(2_147_483_647).optional(),
  from: moment,
  until: moment,
});
export type LedgerSearch = z.input<typeof ledgerSearchSchema>;

export const STATEMENT_KINDS = [...LEDGER_KINDS, "consumption"] as const;

export const statementSearchSchema = z.object({
  ...pageShape,
  kind: z.enum(STATEMENT_KINDS).optional(),
  /** Unix seconds. A day of usage has the time of its end. */
  from: z.number().int().min(0).optional(),
  until: z.number().int().min(0).optional(),
  /** Of the reader, whose days usage is summed by. One that is not known is treated as UTC. */
  timeZone: z.string().optional(),
});
export type StatementSearch = z.input<typeof statementSearchSchema>;

export const monthStatementSchema = z.object({
  /** yyyy-MM, in UTC. */
  month: z.string("statementMonthInvalid").regex(/^20\d\d-(0[1-9]|1[0-2])$/, "statementMonthInvalid"),
  /** Another user's; administrators only. */
  userId: z.number().int().min(1).max(2_147_483_647).optional(),
});
export type MonthStatementInput = z.input<typeof monthStatementSchema>;
