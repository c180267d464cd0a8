import { amountText, parseAmount } from "@/lib/money/amount";
import type { QuotaDisplay } from "@/lib/money/display";

/** The draft's text for an amount that cannot be read: no number, so that it is refused and never saved as another one. */
export const NO_AMOUNT = "?";

/** The quota of a typed amount as text for a draft: "" for none, NO_AMOUNT for one that cannot be read. */
export function toQuotaText(typed: string, display: QuotaDisplay): string {
  if (typed.trim() === "") return "";
  const parsed = parseAmount(typed, display);
  return "quota" in parsed ? String(parsed.quota) : NO_AMOUNT;
}

/** A draft's quota as the amount that a person types. */
export function toMoneyText(quota: string, display: QuotaDisplay): string {
  return quota.trim() === "" ? "" : amountText(Number(quota), display);
}
