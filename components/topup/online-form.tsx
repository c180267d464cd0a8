"use client";

import { CreditCard } from "lucide-react";
import { useTranslations } from "next-intl";
import { type ComponentProps, useId, useState } from "react";
import { Field, type FieldControl } from "@/components/form/field";
import { CurrencyInput } from "@/components/form/money-field";
import { NumberInput } from "@/components/form/number-input";
import { formatMoney } from "@/components/format/quota";
import { useQuotaDisplay } from "@/components/format/quota-display";
import { Button } from "@/components/ui/button";
import type { Input } from "@/components/ui/input";
import type { TopUpOffer } from "@/lib/topup/types";
import { PayDialog, type Payment } from "./pay-dialog";
import { usePayable } from "./use-payable";
import { startPayment, usePurchase } from "./use-purchase";

/** Amounts are units of the currency, or quota if the site shows quota. */
function useAmountText(): (amount: number) => string {
  const display = useQuotaDisplay();
  return (amount) => (display.inCurrency ? formatMoney(amount, display.symbol) : amount.toLocaleString("en-US"));
}

/** Presets in units of the currency. */
const UNITS = [10, 50, 100, 500];

type PresetsProps = { minimum: number; chosen: number; onAmount: (amount: number) => void };

/** The presets not below the minimum; in quota if the site shows quota. */
function Presets({ minimum, chosen, onAmount }: PresetsProps) {
  const t = useTranslations("topup");
  const amountText = useAmountText();
  const { inCurrency, quotaPerUnit } = useQuotaDisplay();
  const amounts = UNITS.map((units) => units * (inCurrency ? 1 : quotaPerUnit)).filter((amount) => amount >= minimum);
  return (
    <fieldset aria-label={t("presets")} className="-mt-1 flex flex-wrap gap-1.5">
      {amounts.map((amount) => (
        <Button
          key={amount}
          aria-pressed={amount === chosen}
          onClick={() => onAmount(amount)}
          className="h-7 px-2 font-normal text-xs tabular-nums aria-pressed:border-primary"
        >
          {amountText(amount)}
        </Button>
      ))}
    </fieldset>
  );
}

/** The form to buy quota. `price` is the price of the minimum amount. */
export function OnlineForm({ offer, price }: { offer: TopUpOffer; price: string }) {
  const t = useTranslations("topup");
  const amountText = useAmountText();
  const { payable, pending, ask, askLater } = usePayable(price);
  const [text, setText] = useState(String(offer.minimum));
  const enabled = offer.epay !== null;
  const canAsk = enabled || offer.stripe !== null;
  const amount = Math.max(1, Math.floor(Number(text) || 0));
  const { busy, payment, onEpay, onStripe, onClose } = usePurchase(offer, amount, ask, amountText);

  const onAmount = (typed: string) => {
    if (typed === "") return setText("");
    const value = Math.max(1, Math.floor(Number(typed) || 0));
    setText(String(value));
    if (enabled) askLater(value);
  };
  return (
    <div className="flex flex-col gap-3">
      <Field label={t("amount")}>
        {(control) => (
          <UnitInput
            control={control}
            value={text}
            disabled={!canAsk}
            placeholder={t("amountPlaceholder", { minimum: amountText(offer.minimum) })}
            onChange={(event) => onAmount(event.target.value)}
            onBlur={() => (text === "" ? onAmount(String(offer.minimum)) : undefined)}
          />
        )}
      </Field>
      {canAsk ? (
        <Presets minimum={offer.minimum} chosen={amount} onAmount={(preset) => onAmount(String(preset))} />
      ) : null}
      {enabled ? (
        <p aria-live="polite" aria-busy={pending} className="text-muted-foreground">
          {t("payable")}
          <span className="ml-1 font-medium text-foreground tabular-nums" data-testid="payable">
            {t("yuan", { amount: payable })}
          </span>
        </p>
      ) : null}
      <PayButtons
        busy={busy}
        withEpay={enabled}
        withStripe={offer.stripe !== null}
        onEpay={onEpay}
        onStripe={onStripe}
      />
      <PayDialog payment={payment} amountText={amountText} start={startPayment} onClose={onClose} />
    </div>
  );
}

type UnitInputProps = ComponentProps<typeof Input> & { control: FieldControl };

/** Whole units of the currency, or quota if the site shows quota. */
function UnitInput({ control, ...input }: UnitInputProps) {
  const { inCurrency } = useQuotaDisplay();
  const number = { ...input, type: "number", min: 1, step: 1, inputMode: "numeric" as const };
  return inCurrency ? <CurrencyInput control={control} {...number} /> : <NumberInput {...control} {...input} min={1} />;
}

type PayButtonsProps = {
  busy: Payment["method"] | null;
  withEpay: boolean;
  withStripe: boolean;
  onEpay: (method: "zfb" | "wx") => void;
  onStripe: () => void;
};

/** Without any method that is set up, the usual buttons are disabled and the reason stands beside them. */
function PayButtons({ busy, withEpay, withStripe, onEpay, onStripe }: PayButtonsProps) {
  const t = useTranslations("topup");
  const reason = useId();
  const off = withEpay ? {} : { disabled: true, "aria-describedby": reason };
  return (
    <div className="flex flex-wrap items-center gap-2">
      {withEpay || !withStripe ? (
        <>
          <Button {...off} size="md" variant="primary" pending={busy === "zfb"} onClick={() => onEpay("zfb")}>
            {t("alipay")}
          </Button>
          <Button
            {...off}
            size="md"
            pending={busy === "wx"}
            onClick={() => onEpay("wx")}
            className="border-transparent bg-success text-background hover:bg-success/90"
          >
            {t("wechat")}
          </Button>
        </>
      ) : null}
      {withStripe ? (
        <Button size="md" pending={busy === "stripe"} onClick={onStripe}>
          {busy === "stripe" ? null : <CreditCard aria-hidden />}
          {t("stripe")}
        </Button>
      ) : null}
      {withEpay || withStripe ? null : (
        <p id={reason} className="basis-full text-muted-foreground text-xs">
          {t("notEnabled")}
        </p>
      )}
    </div>
  );
}
