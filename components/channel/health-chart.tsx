"use client";

import { useTranslations } from "next-intl";
import type { ReactNode } from "react";
import { axisDigits } from "@/components/chart/axis";
import { ChartLegend } from "@/components/chart/chart-legend";
import { LazyBarChart, LazyLineChart } from "@/components/chart/lazy";
import { colourOf } from "@/components/chart/palette";
import { formatQuota } from "@/components/format/quota";
import { useQuotaDisplay } from "@/components/format/quota-display";
import { useInBrowser } from "@/components/format/time";
import { Skeleton } from "@/components/ui/skeleton";
import { fillPoints, type HealthPoint, type HealthStep } from "./health-points";
import { HealthTable } from "./health-table";

type HealthChartProps = { points: HealthPoint[]; from: number; until: number; step: HealthStep };

/** Requests, times and cost per hour or day in the browser's time zone, including hours and days without requests. */
export function HealthChart(props: HealthChartProps) {
  const inBrowser = useInBrowser();
  if (!inBrowser) return <Skeleton className="h-56 w-full" />;
  return <Charts {...props} />;
}

function Charts({ points, from, until, step }: HealthChartProps) {
  const t = useTranslations("channel");
  const common = useTranslations("common");
  const display = useQuotaDisplay();
  const rows = fillPoints(points, from, until, step);
  const labels = rows.map(({ label }) => label);
  const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;
  const cost = (quota: number) => formatQuota(quota, display, 4);
  const digits = axisDigits(Math.max(0, ...rows.map(({ quota }) => quota)) / display.quotaPerUnit);
  const seconds = (ms: number) => common("seconds", { value: (ms / 1_000).toFixed(1) });
  const requests = [
    { id: "succeeded", name: t("succeeded"), colour: "var(--success)", values: rows.map((row) => row.succeeded) },
    { id: "failed", name: t("failed"), colour: "var(--destructive)", values: rows.map((row) => row.failed) },
  ];
  const times = [
    { id: "p50", name: "p50", colour: colourOf(0), values: rows.map((row) => row.p50Ms) },
    { id: "p95", name: "p95", colour: colourOf(1), values: rows.map((row) => row.p95Ms) },
  ];
  const costs = [{ id: "quota", name: t("cost"), colour: "var(--primary)", values: rows.map((row) => row.quota) }];
  return (
    <div className="flex flex-col gap-3">
      <div className="grid gap-x-6 gap-y-4 xl:grid-cols-3">
        <Figure title={t("chartRequests")} legend={requests}>
          <LazyBarChart
            labels={labels}
            series={requests}
            format={String}
            formatAxis={String}
            totalLabel={t("requests")}
          />
        </Figure>
        <Figure title={t("chartTimes")} legend={times}>
          <LazyLineChart labels={labels} series={times} format={seconds} />
        </Figure>
        <Figure title={t("chartCost")}>
          <LazyBarChart
            labels={labels}
            series={costs}
            format={cost}
            formatAxis={(quota) => formatQuota(quota, display, digits)}
            totalLabel={t("cost")}
          />
        </Figure>
      </div>
      <p className="text-muted-foreground text-xs">{t("timeZone", { zone })}</p>
      <HealthTable rows={rows} cost={cost} seconds={seconds} />
    </div>
  );
}

type FigureProps = { title: string; legend?: { id: string; name: string; colour: string }[]; children: ReactNode };

function Figure({ title, legend = [], children }: FigureProps) {
  return (
    <figure aria-label={title} className="min-w-0">
      <figcaption className="mb-1 flex flex-wrap justify-between gap-x-3 text-muted-foreground text-xs">
        {title}
        <ChartLegend entries={legend} />
      </figcaption>
      <div className="h-48">{children}</div>
    </figure>
  );
}
