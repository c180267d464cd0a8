"use client";

import { ArrowRight } from "lucide-react";
import { useTranslations } from "next-intl";
import { useQuotaDisplay } from "@/components/format/quota-display";
import type { KeyChange } from "@/lib/audit/difference";
import type { AuditRow } from "@/lib/audit/types";
import { withMoney } from "./amounts";
import { useValueName } from "./value-name";

/** Longer values are shown only when the entry is opened. */
const LENGTH_MAX = 24;

/**
 * The first changed key, its old and new value where both are short, and the number of other keys. Keys are record
 * names, so they are not translated.
 */
export function ChangeSummary({ row }: { row: Pick<AuditRow, "difference" | "subject"> }) {
  const difference = withMoney(row.difference, row.subject, useQuotaDisplay());
  if (difference.kind !== "keys") return "—";
  const [first, ...rest] = difference.changes;
  if (!first) return "—";
  const more = rest.length + difference.more;
  return (
    <span className="flex flex-wrap items-center gap-x-1.5 text-muted-foreground text-xs">
      <span className="font-mono" dir="auto" data-user-text>
        {first.key}
      </span>
      <ShortChange change={first} subject={row.subject} />
      {more > 0 ? <span>+{more}</span> : null}
    </span>
  );
}

function ShortChange({ change, subject }: { change: KeyChange; subject: string }) {
  const t = useTranslations("audit.change");
  const nameOf = useValueName(subject);
  const [before, after] = [change.before, change.after].map((value) => value && nameOf(change.key, value));
  if (!before || !after || before.length > LENGTH_MAX || after.length > LENGTH_MAX) return null;
  return (
    <span className="flex flex-wrap items-center gap-1 text-foreground tabular-nums" dir="auto" data-user-text>
      <del className="no-underline">
        <span className="sr-only">{t("before")} </span>
        <bdi>{before}</bdi>
      </del>
      <ArrowRight className="size-3 shrink-0 text-muted-foreground" aria-hidden />
      <ins className="no-underline">
        <span className="sr-only">{t("after")} </span>
        <bdi>{after}</bdi>
      </ins>
    </span>
  );
}
