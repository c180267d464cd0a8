"use client";

import { useTranslations } from "next-intl";
import { formatQuota } from "@/components/format/quota";
import { useQuotaDisplay } from "@/components/format/quota-display";
import { Time } from "@/components/format/time";
import { toMovementKind } from "@/components/topup/ledger-kind";
import { Badge } from "@/components/ui/badge";
import { cn } from "@/components/ui/class-names";

const DIGITS = 6;

type Movement = { id: number; amount: number; kind: string; note: string; createdAt: number };

/** The latest balance movements except metered consumption. */
export function UserLedger({ movements, total }: { movements: Movement[]; total: number }) {
  const t = useTranslations("user");
  const kinds = useTranslations("topup.kinds");
  const display = useQuotaDisplay();
  if (movements.length === 0) return <p className="px-4 py-3 text-muted-foreground">{t("ledgerNone")}</p>;
  return (
    <>
      <ul className="divide-y">
        {movements.map(({ id, amount, kind, note, createdAt }) => {
          const known = toMovementKind(kind);
          return (
            <li key={id} className="flex flex-wrap items-center gap-x-2 gap-y-0.5 px-4 py-2 text-xs">
              <Time seconds={createdAt} />
              <Badge>{known ? kinds(known) : kind}</Badge>
              <span className="min-w-0 truncate text-muted-foreground" dir="auto" data-user-text>
                {note}
              </span>
              <span className={cn("ml-auto font-medium tabular-nums", amount > 0 && "text-success")}>
                {`${amount > 0 ? "+" : ""}${formatQuota(amount, display, DIGITS)}`}
              </span>
            </li>
          );
        })}
      </ul>
      {total > movements.length ? (
        <p className="border-t px-4 py-2 text-muted-foreground text-xs">
          {t("shownOf", { shown: String(movements.length), total: String(total) })}
        </p>
      ) : null}
    </>
  );
}
