"use client";

import { RefreshCw } from "lucide-react";
import { useTranslations } from "next-intl";
import { useRunAction } from "@/components/form/use-run-action";
import { formatMoney, formatNumber, formatQuota } from "@/components/format/quota";
import { useQuotaDisplay } from "@/components/format/quota-display";
import { formatTime } from "@/components/format/time";
import { Hint } from "@/components/overlay/hint";
import { badgeVariants } from "@/components/ui/badge";
import { cn } from "@/components/ui/class-names";
import { toast } from "@/components/ui/toast";
import { updateBalance } from "./actions";

type BalanceCellProps = {
  channel: { id: number; name: string; usedQuota: number; balance: number; balanceUpdatedTime: number };
};

const LONG = 100_000;

/** The quota a channel has used and the balance left at its upstream. A click asks the upstream for the balance again. */
export function BalanceCell({ channel }: BalanceCellProps) {
  const t = useTranslations("channel");
  const display = useQuotaDisplay();
  const { pending, run } = useRunAction();
  const isKnown = channel.balanceUpdatedTime > 0;
  const full = formatMoney(channel.balance, display.symbol);
  const shown = channel.balance >= LONG ? `${display.symbol}${formatNumber(Math.round(channel.balance))}` : full;
  const onRefresh = () =>
    run(
      () => updateBalance({ id: channel.id }),
      (balance) => toast.success(t("balanceIs", { name: channel.name, balance: formatMoney(balance, display.symbol) })),
    );
  const hint = isKnown
    ? `${full}\n${t("balanceAt", { time: formatTime(channel.balanceUpdatedTime) })}`
    : t("balanceUnknown");
  return (
    <span className="inline-flex items-center justify-end gap-1.5 whitespace-nowrap tabular-nums">
      {formatQuota(channel.usedQuota, display)}
      <span aria-hidden className="text-muted-foreground">
        /
      </span>
      <Hint label={`${hint}\n${t("balanceClick")}`}>
        <button
          type="button"
          aria-label={`${t("updateBalanceOf", { name: channel.name })}: ${isKnown ? full : "—"}`}
          aria-busy={pending || undefined}
          disabled={pending}
          onClick={onRefresh}
          className={cn(badgeVariants({ hue: isKnown ? "light-blue" : "grey" }), "cursor-pointer")}
        >
          {isKnown ? shown : "—"}
          <RefreshCw aria-hidden className={cn(pending && "animate-spin")} />
        </button>
      </Hint>
    </span>
  );
}

export function UsedQuota({ quota, digits = 2 }: { quota: number; digits?: number }) {
  return formatQuota(quota, useQuotaDisplay(), digits);
}

/** The balance at an upstream, in currency units. */
export function Balance({ amount }: { amount: number }) {
  return formatMoney(amount, useQuotaDisplay().symbol);
}
