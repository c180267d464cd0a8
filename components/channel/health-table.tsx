"use client";

import { useTranslations } from "next-intl";
import type { HealthSpan } from "./health-points";

type HealthTableProps = { rows: HealthSpan[]; cost: (quota: number) => string; seconds: (ms: number) => string };

/** The figures of the charts as a table, newest first; also for screen readers. */
export function HealthTable({ rows, cost, seconds }: HealthTableProps) {
  const t = useTranslations("channel");
  const heads = [t("time"), t("succeeded"), t("failed"), "p50", "p95", t("cost")];
  const duration = (ms: number | null) => (ms === null ? "—" : seconds(ms));
  return (
    <details className="text-xs">
      <summary className="cursor-pointer text-muted-foreground">{t("asTable")}</summary>
      <section
        aria-label={t("asTable")}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard
        tabIndex={0}
        className="mt-2 max-h-80 overflow-auto"
      >
        <table className="w-full text-left tabular-nums">
          <thead className="sticky top-0 bg-surface">
            <tr className="text-muted-foreground">
              {heads.map((head) => (
                <th key={head} scope="col" className="whitespace-nowrap py-1 pr-3 font-medium">
                  {head}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.toReversed().map((row) => (
              <tr key={row.at} className="border-t">
                <td dir="auto" className="whitespace-nowrap py-1 pr-3">
                  {row.label}
                </td>
                <td dir="auto">{row.succeeded}</td>
                <td dir="auto">{row.failed}</td>
                <td dir="auto">{duration(row.p50Ms)}</td>
                <td dir="auto">{duration(row.p95Ms)}</td>
                <td dir="auto">{cost(row.quota)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </section>
    </details>
  );
}
