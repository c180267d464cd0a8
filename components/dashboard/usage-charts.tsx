"use client";

import { useRouter } from "next/navigation";
import { useTranslations } from "next-intl";
import { useState } from "react";
import { LazyBarChart } from "@/components/chart/lazy";
import { colourOf } from "@/components/chart/palette";
import { Segmented } from "@/components/ui/segmented";
import type { Dashboard } from "@/lib/usage/types";
import { bucketHref } from "./drill";
import { Legend } from "./legend";
import { METRICS, type Metric, useMetricFormat } from "./metric";
import { ModelDonut } from "./model-donut";
import type { NamedSeries } from "./named-series";
import { Panel } from "./panel";
import { SeriesTable } from "./series-table";
import { bucketLabel } from "./zone";

type UsageChartsProps = { dashboard: Dashboard; username: string };

/** Consumption by model over time, and the calls by model; a click leads to the log rows behind it. */
export function UsageCharts({ dashboard, username }: UsageChartsProps) {
  const t = useTranslations("dashboard");
  const series = dashboard.models.map((model, place) => ({
    ...model,
    id: `m${place}`,
    label: model.name ?? t("otherModels"),
    colour: colourOf(place, model.name === null),
  }));
  return (
    <div className="grid gap-4 xl:grid-cols-[minmax(0,2fr)_minmax(0,1fr)]">
      <Distribution dashboard={dashboard} series={series} username={username} />
      <ModelDonut dashboard={dashboard} series={series} username={username} />
    </div>
  );
}

type DistributionProps = UsageChartsProps & { series: NamedSeries[] };

function Distribution({ dashboard, series, username }: DistributionProps) {
  const t = useTranslations("dashboard");
  const router = useRouter();
  const [view, setView] = useState<View>("chart");
  const [metric, setMetric] = useState<Metric>("quota");
  const [alone, setAlone] = useState<string | null>(null);
  const format = useMetricFormat(metric, 4);
  const formatShort = useMetricFormat(metric, 2);
  const { granularity, timeZone } = dashboard.window;
  const labels = dashboard.buckets.map((start) => bucketLabel(start, granularity, timeZone));
  const shown = alone === null ? series : series.filter(({ id }) => id === alone);
  const onPick = (id: string, place: number) => {
    const name = series.find((one) => one.id === id)?.name ?? null;
    router.push(bucketHref(dashboard, place, name, username));
  };
  const total = formatShort(dashboard.totals[metric]);
  return (
    <Panel
      title={t("distribution")}
      aside={<Switches metric={metric} view={view} onMetric={setMetric} onView={setView} />}
    >
      <p className="px-4 pt-3 text-muted-foreground text-xs">{t("sum", { total })}</p>
      {view === "table" ? (
        <SeriesTable dashboard={dashboard} series={series} labels={labels} metric={metric} username={username} />
      ) : (
        <div className="px-4 pb-3">
          <div role="img" aria-label={t("chartLabel", { total })} className="h-72" data-testid="bar-chart">
            {series.length === 0 ? (
              <p className="grid h-full place-items-center text-muted-foreground">{t("noData")}</p>
            ) : (
              <LazyBarChart
                labels={labels}
                series={shown.map(({ id, label, colour, points }) => ({
                  id,
                  name: label,
                  colour,
                  values: points.map((point) => point[metric]),
                }))}
                format={format}
                formatAxis={formatShort}
                totalLabel={t("total")}
                onPick={onPick}
              />
            )}
          </div>
          <Legend series={series} metric={metric} alone={alone} onAlone={setAlone} />
        </div>
      )}
    </Panel>
  );
}

type View = "chart" | "table";
type SwitchesProps = { metric: Metric; view: View; onMetric: (metric: Metric) => void; onView: (view: View) => void };

/** Which figure is shown, and how. */
function Switches({ metric, view, onMetric, onView }: SwitchesProps) {
  const t = useTranslations("dashboard");
  return (
    <div className="flex flex-wrap gap-2">
      <Segmented
        label={t("metric")}
        value={metric}
        choices={METRICS.map((value) => ({ value, label: t(`metric_${value}`) }))}
        onValue={onMetric}
      />
      <Segmented
        label={t("view")}
        value={view}
        choices={[
          { value: "chart", label: t("chart") },
          { value: "table", label: t("table") },
        ]}
        onValue={onView}
      />
    </div>
  );
}
