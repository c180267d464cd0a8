"use client";

import { ArrowRight } from "lucide-react";
import { useTranslations } from "next-intl";
import { useQuotaDisplay } from "@/components/format/quota-display";
import { cn } from "@/components/ui/class-names";
import type { Difference, KeyChange, LineChange } from "@/lib/audit/difference";
import { withMoney } from "./amounts";
import { useValueName } from "./value-name";

type DifferenceViewProps = {
  difference: Difference;
  /** What was changed, such as "channel:7"; some of its values have names. */
  subject?: string;
};

/** Shows changed keys with old and new value, or removed and added lines; amounts as money. */
export function DifferenceView({ difference: given, subject = "" }: DifferenceViewProps) {
  const difference = withMoney(given, subject, useQuotaDisplay());
  const t = useTranslations("audit.change");
  const empty = difference.kind === "keys" ? difference.changes.length === 0 : difference.lines.length === 0;
  if (empty) return <p className="text-muted-foreground text-xs">{t("noDetail")}</p>;
  return (
    <div className="flex flex-col gap-1 text-xs">
      {difference.kind === "keys" ? (
        <KeyChanges changes={difference.changes} subject={subject} />
      ) : (
        <LineChanges lines={difference.lines} />
      )}
      {difference.more > 0 ? <p className="text-muted-foreground">{t("more", { count: difference.more })}</p> : null}
    </div>
  );
}

const removedClasses = "bg-red-100 text-red-900 dark:bg-red-950 dark:text-red-200";
const addedClasses = "bg-green-100 text-green-900 dark:bg-green-950 dark:text-green-200";

function KeyChanges({ changes, subject }: { changes: readonly KeyChange[]; subject: string }) {
  const t = useTranslations("audit.change");
  const nameOf = useValueName(subject);
  return (
    <dl className="flex flex-col divide-y overflow-hidden rounded-md border bg-surface">
      {changes.map((change) => (
        <div key={change.key} className="grid gap-x-3 gap-y-1 px-2.5 py-1.5 sm:grid-cols-[minmax(6rem,12rem)_1fr]">
          <dt className="min-w-0 break-all font-medium font-mono" dir="auto" data-user-text>
            {change.key}
          </dt>
          <dd dir="auto" className="flex min-w-0 flex-wrap items-center gap-1.5 font-mono">
            {change.before === null ? null : (
              <del className={cn("break-all rounded px-1 no-underline", removedClasses)}>
                <span className="sr-only">{t("before")} </span>
                {nameOf(change.key, change.before) || "∅"}
              </del>
            )}
            {change.before !== null && change.after !== null ? (
              <ArrowRight className="size-3 shrink-0 text-muted-foreground" aria-hidden />
            ) : null}
            {change.after === null ? null : (
              <ins className={cn("break-all rounded px-1 no-underline", addedClasses)}>
                <span className="sr-only">{t("after")} </span>
                {nameOf(change.key, change.after) || "∅"}
              </ins>
            )}
          </dd>
        </div>
      ))}
    </dl>
  );
}

function LineChanges({ lines }: { lines: readonly LineChange[] }) {
  const rows = lines.map((line, index) => ({ ...line, id: index }));
  return (
    <div
      // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard
      tabIndex={0}
      className="max-h-72 overflow-auto rounded-md border bg-surface py-1 font-mono leading-relaxed"
    >
      {rows.map((row) => (
        <div
          key={row.id}
          className={cn(
            "flex whitespace-pre-wrap break-all px-2.5",
            row.sign === "+" && addedClasses,
            row.sign === "-" && removedClasses,
          )}
        >
          <span className="w-4 shrink-0 select-none">{row.sign}</span>
          <span>{row.text || " "}</span>
        </div>
      ))}
    </div>
  );
}
