"use client";

import { useTranslations } from "next-intl";
import { useRunAction } from "@/components/form/use-run-action";
import { formatQuota } from "@/components/format/quota";
import { useQuotaDisplay } from "@/components/format/quota-display";
import { Time } from "@/components/format/time";
import { Button } from "@/components/ui/button";
import { Link } from "@/components/ui/link";
import { toast } from "@/components/ui/toast";
import type { RefusedCharge } from "@/lib/billing/refused-commands";
import { retryRefusedCharges } from "./actions";

/** Charges that PostgreSQL refused, with the reason. Nothing is shown while there are none. */
export function RefusedCharges({ charges }: { charges: readonly RefusedCharge[] }) {
  const t = useTranslations("setting.refusedCharges");
  const display = useQuotaDisplay();
  const { pending, run } = useRunAction();
  if (charges.length === 0) return null;
  const onRetry = () =>
    run(
      () => retryRefusedCharges({}),
      ({ booked, refused }) => void toast.success(t("retried", { booked: String(booked), refused: String(refused) })),
    );
  return (
    <section
      id="refused-charges"
      aria-labelledby="refused-charges-title"
      className="mt-4 rounded-lg border bg-surface px-5 py-4"
    >
      <div className="flex flex-wrap items-center justify-between gap-3">
        <h2 dir="auto" id="refused-charges-title" className="font-semibold text-destructive">
          {t("title", { count: charges.length })}
        </h2>
        <Button size="md" pending={pending} onClick={onRetry}>
          {t("retry")}
        </Button>
      </div>
      <p className="mt-0.5 text-muted-foreground text-pretty text-xs">{t("text")}</p>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard */}
      <section aria-label={t("list")} tabIndex={0} className="mt-3 max-h-72 overflow-auto">
        <table className="w-full min-w-2xl text-left text-xs">
          <thead className="text-muted-foreground">
            <tr>
              {(["request", "user", "amount", "cost", "reason", "attempts", "triedAt"] as const).map((name) => (
                <th key={name} scope="col" className="py-1 pr-4 font-normal">
                  {t(name)}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {charges.map((charge) => (
              <tr key={charge.requestId} className="border-t">
                <td dir="auto" className="py-1 pr-4 font-mono">
                  {charge.requestId}
                </td>
                <td dir="auto" className="py-1 pr-4 tabular-nums">
                  <Link href={`/user/${charge.userId}`} className="rounded text-primary hover:underline">
                    {String(charge.userId)}
                  </Link>
                </td>
                <td dir="auto" className="py-1 pr-4 tabular-nums">
                  {formatQuota(charge.quota, display)}
                </td>
                <td dir="auto" className="py-1 pr-4 tabular-nums">
                  {charge.cost === null ? t("costUnknown") : formatQuota(charge.cost, display, 6)}
                </td>
                <td dir="auto" className="py-1 pr-4">
                  {charge.code} {charge.message}
                </td>
                <td dir="auto" className="py-1 pr-4 tabular-nums">
                  {charge.attempts}
                </td>
                <td dir="auto" className="py-1 pr-4">
                  <Time seconds={charge.triedAt} />
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </section>
    </section>
  );
}
