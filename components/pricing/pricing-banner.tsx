"use client";

import { useTranslations } from "next-intl";
import { RatioBadge } from "@/components/format/ratio-badge";
import { cn } from "@/components/ui/class-names";
import type { PriceList } from "@/lib/pricing/types";

type PricingBannerProps = {
  prices: PriceList;
  ownGroup: string | null;
  group: string;
  onGroup: (group: string) => void;
};

/** The user's own group with its ratio, the group choice, and the price formula with the configured quota per unit. */
export function PricingBanner({ prices, ownGroup, group, onGroup }: PricingBannerProps) {
  const t = useTranslations("pricing");
  const { groupRatio, usableGroup, quotaPerUnit } = prices;
  const ratio = String(groupRatio[ownGroup ?? "default"] ?? 1);
  return (
    <section aria-label={t("groups")} className="mb-4 rounded-lg border bg-surface px-4 py-3">
      <p className="font-medium">
        {ownGroup === null ? t("anonymous", { ratio }) : t("ownGroup", { group: ownGroup, ratio })}
      </p>
      <fieldset aria-label={t("groups")} className="mt-2 flex flex-wrap gap-1.5">
        {Object.entries(usableGroup).map(([name, description]) => (
          <button
            key={name}
            type="button"
            aria-pressed={name === group}
            title={description}
            onClick={() => onGroup(name)}
            className={cn(
              "flex items-center gap-1.5 rounded-md border px-2.5 py-1 transition-colors hover:bg-muted",
              name === group && "border-primary bg-accent text-accent-foreground hover:bg-accent",
            )}
          >
            {name}
            <RatioBadge ratio={groupRatio[name] ?? 1} />
          </button>
        ))}
      </fieldset>
      <p className="mt-2.5 text-muted-foreground text-xs" data-testid="formula">
        {t("formula", { divisor: String(quotaPerUnit) })}
      </p>
    </section>
  );
}
