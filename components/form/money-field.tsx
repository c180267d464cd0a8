"use client";

import { useTranslations } from "next-intl";
import type { ComponentProps, ReactNode } from "react";
import { useQuotaDisplay } from "@/components/format/quota-display";
import { cn } from "@/components/ui/class-names";
import { Input } from "@/components/ui/input";
import { Field, type FieldControl } from "./field";
import { NumberInput } from "./number-input";
import { useMoneyText } from "./use-money-text";

type MoneyFieldProps = {
  label: ReactNode;
  /** The draft's quota, as text; what cannot be read becomes NO_AMOUNT. */
  quota: string;
  onQuota: (text: string) => void;
  hint?: ReactNode;
  error?: string | undefined;
  aside?: ReactNode;
  disabled?: boolean;
  autoFocus?: boolean;
  readOnly?: boolean;
  placeholder?: string;
  /** The keypad for digits has no minus sign on some phones. */
  isSigned?: boolean;
};

/** An amount, typed in the site's currency and kept as quota. A site that shows quota has a field for quota. */
export function MoneyField(props: MoneyFieldProps) {
  return useQuotaDisplay().inCurrency ? <CurrencyField {...props} /> : <QuotaField {...props} />;
}

function QuotaField({ label, quota, onQuota, hint, error, aside, isSigned, ...input }: MoneyFieldProps) {
  return (
    <Field label={label} hint={hint} error={error} aside={aside}>
      {(control) => (
        <NumberInput
          {...control}
          {...input}
          {...(isSigned ? { min: Number.MIN_SAFE_INTEGER } : {})}
          value={quota}
          onChange={(event) => onQuota(event.target.value)}
        />
      )}
    </Field>
  );
}

function CurrencyField({ label, quota, onQuota, hint, error, aside, isSigned = false, ...input }: MoneyFieldProps) {
  const { text, issue, isLeft, onText, onLeave } = useMoneyText(quota, onQuota, isSigned);
  const shown = issue && (isLeft || error) ? issue : error;
  return (
    <div className="flex flex-col gap-1.5">
      <Field label={label} hint={hint} error={shown} aside={aside}>
        {(control) => (
          <CurrencyInput
            control={control}
            {...input}
            value={text}
            inputMode={isSigned ? "text" : "decimal"}
            onChange={(event) => onText(event.target.value)}
            // A message that appears now would move a button away from under the pointer; submitting checks anyway.
            onBlur={(event) => (event.relatedTarget instanceof HTMLButtonElement ? undefined : onLeave())}
          />
        )}
      </Field>
      <RawQuota quota={quota} />
    </div>
  );
}

type CurrencyInputProps = ComponentProps<typeof Input> & { control: FieldControl };

/** An input behind the currency's symbol. */
export function CurrencyInput({ control, className, ...input }: CurrencyInputProps) {
  const { symbol } = useQuotaDisplay();
  const room = symbol.length > 3 ? "pl-16" : symbol.length > 1 ? "pl-12" : "pl-8";
  return (
    <div className="relative">
      <span
        aria-hidden
        className="pointer-events-none absolute inset-y-0 left-2.5 flex max-w-12 items-center overflow-hidden text-muted-foreground"
      >
        {symbol}
      </span>
      <Input {...control} {...input} autoComplete="off" className={cn(room, "tabular-nums", className)} />
    </div>
  );
}

/** The internal units of an amount, for those who compare it with the API. */
function RawQuota({ quota }: { quota: string }) {
  const t = useTranslations("common.amount");
  const { quotaPerUnit, symbol } = useQuotaDisplay();
  const value = Number(quota);
  if (quota.trim() === "" || !Number.isFinite(value)) return null;
  const texts = {
    quota: value.toLocaleString("en-US"),
    one: `${symbol}1`,
    unit: quotaPerUnit.toLocaleString("en-US"),
  };
  return (
    <details className="text-muted-foreground text-xs">
      <summary className="w-fit cursor-pointer select-none rounded">{t("raw")}</summary>
      <p className="mt-1 tabular-nums">{t("rawText", texts)}</p>
    </details>
  );
}
