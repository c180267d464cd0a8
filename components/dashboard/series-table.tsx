"use client";

import { useTranslations } from "next-intl";
import { Link } from "@/components/ui/link";
import type { Dashboard } from "@/lib/statistics/types";
import type { Metric } from "./dashboard-search";
import { bucketHref } from "./drill";
import type { NamedSeries } from "./legend";
import { useMetricFormat } from "./metric";

type SeriesTableProps = {
  dashboard: Dashboard;
  series: NamedSeries[];
  labels: string[];
  metric: Metric;
  username: string;
};

/** The chart's figures as a table, newest first. It is also the accessible alternative to the chart. */
export function SeriesTable({ dashboard, series, labels, metric, username }: SeriesTableProps) {
  const t = useTranslations("dashboard");
  const format = useMetricFormat(metric, 4);
  const head = "whitespace-nowrap px-3 py-2 text-right font-medium text-muted-foreground text-xs";
  const cell = "whitespace-nowrap px-3 py-1.5 text-right tabular-nums";
  const places = labels.map((label, place) => ({ label, place })).reverse();
  return (
    // A region that scrolls must be reachable by keyboard.
    // biome-ignore lint/a11y/noNoninteractiveTabindex: see above
    <section aria-label={t("table")} tabIndex={0} className="mt-2 max-h-96 overflow-auto">
      <table className="w-full border-collapse text-sm">
        <caption className="sr-only">{t("distribution")}</caption>
        <thead className="sticky top-0 border-b bg-surface">
          <tr>
            <th scope="col" className={`${head} text-left!`}>
              {t("time")}
            </th>
            <th scope="col" className={head}>
              {t("total")}
            </th>
            {series.map(({ id, label }) => (
              <th key={id} scope="col" className={head}>
                {label}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {places.map(({ label, place }) => (
            <tr key={label} className="border-b last:border-b-0">
              <th dir="auto" scope="row" className={`${cell} text-left! font-normal`}>
                <Link href={bucketHref(dashboard, place, null, username)} className="hover:underline">
                  {label}
                </Link>
              </th>
              <td dir="auto" className={`${cell} font-medium`}>
                {format(series.reduce((sum, { points }) => sum + (points[place]?.[metric] ?? 0), 0))}
              </td>
              {series.map(({ id, points }) => (
                <td dir="auto" key={id} className={cell}>
                  {format(points[place]?.[metric] ?? 0)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
