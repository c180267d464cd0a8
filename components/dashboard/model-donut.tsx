"use client";

import { useRouter } from "next/navigation";
import { useTranslations } from "next-intl";
import { LazyDonutChart } from "@/components/chart/lazy";
import { formatNumber } from "@/components/format/quota";
import { Link } from "@/components/ui/link";
import type { Dashboard } from "@/lib/statistics/types";
import { modelHref } from "./drill";
import type { NamedSeries } from "./legend";
import { Panel } from "./panel";

type ModelDonutProps = { dashboard: Dashboard; series: NamedSeries[]; username: string };

/** Share of each model in the number of calls; the list beside the chart has the same figures as text. */
export function ModelDonut({ dashboard, series: byCost, username }: ModelDonutProps) {
  const t = useTranslations("dashboard");
  const router = useRouter();
  const { count } = dashboard.totals;
  const series = byCost.toSorted((a, b) => Number(a.name === null) - Number(b.name === null) || b.count - a.count);
  const hrefOf = (name: string | null) => modelHref(dashboard, name, username);
  const share = (value: number) => (count === 0 ? "0%" : `${((value / count) * 100).toFixed(1)}%`);
  return (
    <Panel title={t("calls")}>
      <p className="px-4 pt-3 text-muted-foreground text-xs">{t("sum", { total: formatNumber(count) })}</p>
      <div className="flex flex-col gap-2 px-4 pb-4">
        <div aria-hidden className="h-56" data-testid="donut-chart">
          {series.length === 0 ? (
            <p className="grid h-full place-items-center text-muted-foreground">{t("noData")}</p>
          ) : (
            <LazyDonutChart
              slices={series.map(({ id, label, colour, count: value }) => ({ id, name: label, colour, value }))}
              format={(value) => `${formatNumber(value)} (${share(value)})`}
              onPick={(id) => router.push(hrefOf(series.find((one) => one.id === id)?.name ?? null))}
            />
          )}
        </div>
        <ul className="flex flex-col gap-1">
          {series.map(({ id, name, label, colour, count: value }) => (
            <li key={id} className="flex items-center gap-2 text-xs">
              <span aria-hidden className="size-2.5 shrink-0 rounded-sm" style={{ background: colour }} />
              {name === null ? (
                <span dir="auto" className="min-w-0 flex-1 truncate">
                  {label}
                </span>
              ) : (
                <Link href={hrefOf(name)} className="min-w-0 flex-1 truncate hover:underline">
                  {label}
                </Link>
              )}
              <span className="tabular-nums">{formatNumber(value)}</span>
              <span className="w-12 text-right text-muted-foreground tabular-nums">{share(value)}</span>
            </li>
          ))}
        </ul>
      </div>
    </Panel>
  );
}
