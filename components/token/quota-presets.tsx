"use client";

import { useTranslations } from "next-intl";
import { Button } from "@/components/ui/button";

/** Quota presets with their names (B284). */
export const QUOTA_PRESETS = [
  { quota: 500_000, label: "1$" },
  { quota: 5_000_000, label: "10$" },
  { quota: 25_000_000, label: "50$" },
  { quota: 50_000_000, label: "100$" },
  { quota: 250_000_000, label: "500$" },
  { quota: 500_000_000, label: "1000$" },
] as const;

type QuotaPresetsProps = { disabled?: boolean; onQuota: (quota: number) => void };

export function QuotaPresets({ disabled = false, onQuota }: QuotaPresetsProps) {
  const t = useTranslations("commerce");
  return (
    <fieldset aria-label={t("presets")} className="flex flex-wrap gap-1.5">
      {QUOTA_PRESETS.map(({ quota, label }) => (
        <Button
          key={quota}
          disabled={disabled}
          title={quota.toLocaleString("en-US")}
          onClick={() => onQuota(quota)}
          className="h-7 px-2 font-normal text-xs tabular-nums"
        >
          {label}
        </Button>
      ))}
    </fieldset>
  );
}
