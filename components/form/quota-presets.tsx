"use client";

import { useTranslations } from "next-intl";
import { formatMoney, type QuotaDisplay } from "@/components/format/quota";
import { useQuotaDisplay } from "@/components/format/quota-display";
import { Button } from "@/components/ui/button";

/** Units of money (B284). */
const UNITS = [1, 10, 50, 100, 500, 1_000];
/** At this quota per unit the presets are round where the site shows quota. */
const PLAIN_UNIT = 500_000;

/** The presets of quota, named as money, or as quota where the site shows that. */
export function quotaPresets({ inCurrency, quotaPerUnit, symbol }: QuotaDisplay): { quota: number; label: string }[] {
  return UNITS.map((units) => {
    const quota = Math.ceil(units * (inCurrency ? quotaPerUnit : PLAIN_UNIT));
    return { quota, label: inCurrency ? formatMoney(units, symbol, 0) : quota.toLocaleString("en-US") };
  });
}

type QuotaPresetsProps = { disabled?: boolean; onQuota: (quota: number) => void };

export function QuotaPresets({ disabled = false, onQuota }: QuotaPresetsProps) {
  const t = useTranslations("commerce");
  const display = useQuotaDisplay();
  return (
    <fieldset aria-label={t("presets")} className="flex flex-wrap gap-1.5">
      {quotaPresets(display).map(({ quota, label }) => (
        <Button
          key={quota}
          disabled={disabled}
          onClick={() => onQuota(quota)}
          className="h-7 px-2 font-normal text-xs tabular-nums"
        >
          {label}
        </Button>
      ))}
    </fieldset>
  );
}
