"use client";

import { useTranslations } from "next-intl";
import type { RefusedEntry, RefusedReason } from "@/lib/pricing/sync/offer";

/** Names shown for each reason; the others are counted. */
const SHOWN_MAX = 200;

/** The entries that are no usable prices, by reason. */
export function RefusedEntries({ refused }: { refused: readonly RefusedEntry[] }) {
  const t = useTranslations("priceSync");
  if (refused.length === 0) return null;
  const byReason = new Map<RefusedReason, string[]>();
  for (const { model, reason } of refused) byReason.set(reason, [...(byReason.get(reason) ?? []), model]);
  return (
    <details className="mt-4 rounded-lg border bg-surface px-5 py-3">
      <summary className="cursor-pointer font-medium">{t("refused", { count: refused.length })}</summary>
      <p className="mt-1 text-muted-foreground text-xs">{t("refusedText")}</p>
      <dl className="mt-2 flex flex-col gap-2 text-xs">
        {[...byReason].map(([reason, models]) => (
          <div key={reason}>
            <dt className="font-medium">
              {t("reasonCount", { reason: t(`reason.${reason}`), count: String(models.length) })}
            </dt>
            <dd dir="auto" className="break-all text-muted-foreground">
              {models.slice(0, SHOWN_MAX).join(", ")}
              {models.length > SHOWN_MAX ? ` ${t("andMore", { count: String(models.length - SHOWN_MAX) })}` : null}
            </dd>
          </div>
        ))}
      </dl>
    </details>
  );
}
