"use client";

import { useTranslations } from "next-intl";
import { useState } from "react";
import { useReportFailure } from "@/components/form/use-report-failure";
import { toast } from "@/components/ui/toast";
import type { TopUpOffer } from "@/lib/topup/types";
import { askPayment, toFields } from "./ask-payment";
import type { Payment } from "./pay-dialog";

/** Safari treats a form submitted to a new tab without a click as an unwanted pop-up. */
function isSafari(): boolean {
  const { userAgent } = navigator;
  return userAgent.includes("Safari") && !/Chrom|Edg|Android/.test(userAgent);
}

/** Posts the fields to another site with a hidden form, in a new tab except in Safari (B249). */
function submitForm(url: string, fields: Record<string, string>): void {
  const form = document.createElement("form");
  form.method = "POST";
  form.action = url;
  form.hidden = true;
  if (!isSafari()) {
    form.target = "_blank";
    form.rel = "noopener";
  }
  for (const [name, value] of Object.entries(fields)) {
    const input = document.createElement("input");
    input.type = "hidden";
    input.name = name;
    input.value = value;
    form.append(input);
  }
  document.body.append(form);
  form.submit();
  form.remove();
}

const ERROR_MS = 5_000;

/**
 * The checks before the payment dialog opens: minimum amount reached, price known. `ask` returns the price
 * for epay, or null if it was refused.
 */
export function usePurchase(
  offer: TopUpOffer,
  amount: number,
  ask: (amount: number) => Promise<string | null>,
  amountText: (amount: number) => string,
) {
  const t = useTranslations("topup");
  const report = useReportFailure();
  const [busy, setBusy] = useState<Payment["method"] | null>(null);
  const [payment, setPayment] = useState<Payment | null>(null);
  const isTooLittle = (minimum: number) => {
    if (amount >= minimum) return false;
    toast.error(t("belowMinimum", { minimum: amountText(minimum) }), { duration: ERROR_MS });
    return true;
  };
  const onEpay = async (method: "zfb" | "wx") => {
    if (!offer.epay || isTooLittle(offer.epay.minimum)) return;
    setBusy(method);
    const price = await ask(amount);
    setBusy(null);
    if (price !== null) setPayment({ method, amount, price, currency: null });
  };
  const onStripe = async () => {
    if (!offer.stripe || isTooLittle(offer.stripe.minimum)) return;
    setBusy("stripe");
    try {
      const { data } = await askPayment("/api/user/stripe/amount", { amount, top_up_code: "" });
      setPayment({ method: "stripe", amount, price: String(data), currency: offer.stripe.currency });
    } catch (error) {
      report(error);
    }
    setBusy(null);
  };
  return { busy, payment, onEpay, onStripe, onClose: () => setPayment(null) };
}

/** Creates the order and opens the payment: epay as a form in a new tab, or Stripe's page. Throws what `askPayment` throws. */
export async function startPayment({ method, amount }: Payment): Promise<void> {
  if (method === "stripe") {
    const { data } = await askPayment("/api/user/stripe/pay", { amount, payment_method: "stripe" });
    const link = toFields(data).pay_link ?? "";
    if (/^https?:/i.test(link)) window.location.assign(link);
    return;
  }
  const { data, url } = await askPayment("/api/user/pay", { amount, top_up_code: "", payment_method: method });
  submitForm(url, toFields(data));
}
