"use client";

import { useRouter } from "next/navigation";
import { useTranslations } from "next-intl";
import { useQueryStates } from "nuqs";
import { useState } from "react";
import { axisDigits } from "@/components/chart/axis";
import { LazyBarChart } from "@/components/chart/lazy";
import { colourOfModel } from "@/components/chart/model-colour";
import { ExportMenu } from "@/components/data-table/export-menu";
import { useQuotaDisplay } from "@/components/format/quota-display";
import type { Dashboard } from "@/lib/statistics/types";
import { ChartSwitches } from "./chart-switches";
import { chartParams, exportQuery, type Metric } from "./dashboard-search";
import { bucketHref } from "./drill";
import { Legend, type NamedSeries } from "./legend";
import { useMetricFormat } from "./metric";
import { ModelDonut } from "./model-donut";
import { Panel } from "./panel";
import { SeriesTable } from "./series-table";
import { bucketLabel } from "./zone";

type UsageChartsProps = {
  dashboard: Dashboard;
  username: string;
  /** On the dashboard, whose address the export has too. */
  hasExport?: boolean;
};

/** Consumption by model over time and calls by model; a click opens the matching log rows. */
export function UsageCharts({ dashboard, username, hasExport = false }: UsageChartsProps) {
  const t = useTranslations("dashboard");
  const series = dashboard.models.map((model, place) => ({
    ...model,
    id: `m${place}`,
    label: model.name ?? t("otherModels"),
    colour: colourOfModel(model.name),
  }));
  return (
    <div className="grid gap-4 xl:grid-cols-[minmax(0,2fr)_minmax(0,1fr)]">
      <Distribution dashboard={dashboard} series={series} username={username} hasExport={hasExport} />
      <ModelDonut dashboard={dashboard} series={series} username={username} />
    </div>
  );
}

type DistributionProps = UsageChartsProps & { series: NamedSeries[] };

function Distribution({ dashboard, series, username, hasExport }: DistributionProps) {
  const t = useTranslations("dashboard");
  const [shown, setShown] = useQueryStates(chartParams, { history: "replace" });
  const [alone, setAlone] = useState<string | null>(null);
  const { metric, view } = shown;
  const formatShort = useMetricFormat(metric, 2);
  const { granularity, timeZone } = dashboard.window;
  const labels = dashboard.buckets.map((start) => bucketLabel(start, granularity, timeZone));
  const total = formatShort(dashboard.totals[metric]);
  const previous = formatShort(dashboard.previous[metric]);
  return (
    <Panel
      title={t("distribution")}
      aside={
        <div className="flex flex-wrap items-center gap-2">
          <ChartSwitches shown={shown} onShown={setShown} />
          {hasExport ? (
            <ExportMenu path="/detail/export" query={exportQuery(dashboard.window, "usage", { username })} />
          ) : null}
        </div>
      }
    >
      <p className="px-4 pt-3 text-muted-foreground text-xs">
        {t("sum", { total })}
        {shown.compare ? ` · ${t("sumBefore", { total: previous })}` : ""}
      </p>
      {view === "table" ? (
        <SeriesTable dashboard={dashboard} series={series} labels={labels} metric={metric} username={username} />
      ) : (
        <div className="px-4 pb-3">
          <div role="img" aria-label={t("chartLabel", { total })} className="h-72" data-testid="bar-chart">
            {series.length === 0 ? (
              <p className="grid h-full place-items-center text-muted-foreground">{t("noData")}</p>
            ) : (
              <Bars
                dashboard={dashboard}
                series={alone === null ? series : series.filter(({ id }) => id === alone)}
                labels={labels}
                username={username}
                metric={metric}
                isRunning={shown.running}
                isCompared={shown.compare && alone === null}
              />
            )}
          </div>
          <Legend series={series} metric={metric} alone={alone} onAlone={setAlone} />
        </div>
      )}
    </Panel>
  );
}

type BarsProps = DistributionProps & { labels: string[]; metric: Metric; isRunning: boolean; isCompared: boolean };

/** The bars: values per bucket or running totals, with the previous window as a line. */
function Bars({ dashboard, series, labels, username, metric, isRunning, isCompared }: BarsProps) {
  const t = useTranslations("dashboard");
  const router = useRouter();
  const { quotaPerUnit } = useQuotaDisplay();
  const course = (values: number[]) => (isRunning ? runningSums(values) : values);
  const bars = series.map(({ id, label, colour, points }) => ({
    id,
    name: label,
    colour,
    values: course(points.map((point) => point[metric])),
  }));
  const before = course(dashboard.before.map((totals) => totals[metric]));
  const sums = labels.map((_, place) => bars.reduce((sum, { values }) => sum + (values[place] ?? 0), 0));
  const largest = Math.max(0, ...sums, ...(isCompared ? before : []));
  const format = useMetricFormat(metric, 4);
  const formatAxis = useMetricFormat(metric, axisDigits(largest / quotaPerUnit));
  const onPick = (id: string, place: number) => {
    const name = series.find((one) => one.id === id)?.name ?? null;
    router.push(bucketHref(dashboard, place, name, username));
  };
  return (
    <LazyBarChart
      labels={labels}
      series={bars}
      format={format}
      formatAxis={formatAxis}
      totalLabel={t("total")}
      line={
        isCompared ? { id: "before", name: t("before"), colour: "var(--muted-foreground)", values: before } : undefined
      }
      onPick={onPick}
    />
  );
}

function runningSums(values: readonly number[]): number[] {
  let sum = 0;
  return values.map((value) => {
    sum += value;
    return sum;
  });
}
