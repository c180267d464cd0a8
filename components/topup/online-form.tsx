"use client";

import { CreditCard } from "lucide-react";
import { useTranslations } from "next-intl";
import { useState } from "react";
import { toast } from "sonner";
import { Field } from "@/components/form/field";
import { useReportFailure } from "@/components/form/use-report-failure";
import { formatMoney } from "@/components/format/quota";
import { useQuotaDisplay } from "@/components/format/quota-display";
import { Button } from "@/components/ui/button";
import { Input } from "@/components/ui/input";
import type { TopUpOffer } from "@/lib/topup/types";
import { askPayment, toFields } from "./ask-payment";
import { PayDialog, type Payment } from "./pay-dialog";
import { submitForm } from "./submit-form";
import { usePayable } from "./use-payable";

const ERROR_MS = 5_000;

/** Amounts are USD units, or quota where the site shows quota. */
function useAmountText(): (amount: number) => string {
  const display = useQuotaDisplay();
  return (amount) => (display.inCurrency ? formatMoney(amount, display.symbol) : amount.toLocaleString("en-US"));
}

/** Buying quota: an amount, what it costs, and the ways to pay. `price` is what the least amount costs. */
export function OnlineForm({ offer, price }: { offer: TopUpOffer; price: string }) {
  const t = useTranslations("topup");
  const report = useReportFailure();
  const amountText = useAmountText();
  const { payable, pending, ask, askLater } = usePayable(price);
  const [text, setText] = useState(String(offer.minimum));
  const [busy, setBusy] = useState<Payment["method"] | null>(null);
  const [payment, setPayment] = useState<Payment | null>(null);
  const enabled = offer.epay !== null;
  const canAsk = enabled || offer.stripe !== null;
  const amount = Math.max(1, Math.floor(Number(text) || 0));

  const onAmount = (typed: string) => {
    if (typed === "") return setText("");
    const value = Math.max(1, Math.floor(Number(typed) || 0));
    setText(String(value));
    if (enabled) askLater(value);
  };
  const isTooLittle = (minimum: number) => {
    if (amount >= minimum) return false;
    toast.error(t("belowMinimum", { minimum: String(minimum) }), { duration: ERROR_MS });
    return true;
  };
  const onEpay = async (method: "zfb" | "wx") => {
    if (!offer.epay) {
      toast.error(t("notEnabled"), { duration: ERROR_MS });
      return;
    }
    if (isTooLittle(offer.epay.minimum)) return;
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
  const start = async ({ method, amount: bought }: Payment): Promise<boolean> => {
    try {
      if (method === "stripe") {
        const { data } = await askPayment("/api/user/stripe/pay", { amount: bought, payment_method: "stripe" });
        const link = toFields(data).pay_link ?? "";
        if (/^https?:/i.test(link)) window.location.assign(link);
        return true;
      }
      const { data, url } = await askPayment("/api/user/pay", {
        amount: bought,
        top_up_code: "",
        payment_method: method,
      });
      submitForm(url, toFields(data));
      return true;
    } catch (error) {
      report(error);
      return false;
    }
  };
  return (
    <div className="flex flex-col gap-3">
      <Field label={t("amount")} hint={enabled ? undefined : t("offHint")}>
        {(control) => (
          <Input
            {...control}
            type="number"
            min={1}
            step={1}
            inputMode="numeric"
            value={text}
            disabled={!canAsk}
            placeholder={t("amountPlaceholder", { minimum: amountText(offer.minimum) })}
            onChange={(event) => onAmount(event.target.value)}
            onBlur={() => (text === "" ? onAmount(String(offer.minimum)) : undefined)}
            className="tabular-nums"
          />
        )}
      </Field>
      {enabled ? (
        <p aria-live="polite" aria-busy={pending} className="text-muted-foreground">
          {t("payable")}
          <span className="ml-1 font-medium text-foreground tabular-nums" data-testid="payable">
            {t("yuan", { amount: payable })}
          </span>
        </p>
      ) : null}
      <div className="flex flex-wrap gap-2">
        <Button size="md" variant="primary" pending={busy === "zfb"} onClick={() => onEpay("zfb")}>
          {t("alipay")}
        </Button>
        <Button
          size="md"
          pending={busy === "wx"}
          onClick={() => onEpay("wx")}
          className="border-transparent bg-success text-background hover:bg-success/90"
        >
          {t("wechat")}
        </Button>
        {offer.stripe ? (
          <Button size="md" pending={busy === "stripe"} onClick={onStripe}>
            {busy === "stripe" ? null : <CreditCard aria-hidden />}
            {t("stripe")}
          </Button>
        ) : null}
      </div>
      <PayDialog payment={payment} amountText={amountText} start={start} onClose={() => setPayment(null)} />
    </div>
  );
}
