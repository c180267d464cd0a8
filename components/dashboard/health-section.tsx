"use client";

import type { Route } from "next";
import { useTranslations } from "next-intl";
import { ChartLegend } from "@/components/chart/chart-legend";
import { LazyBarChart, LazyLineChart } from "@/components/chart/lazy";
import { colourOf } from "@/components/chart/palette";
import { ExportMenu } from "@/components/data-table/export-menu";
import { OUTCOMES } from "@/components/log/attempts";
import { Badge } from "@/components/ui/badge";
import { Link } from "@/components/ui/link";
import type { Health } from "@/lib/health/types";
import type { HealthSeries } from "@/lib/statistics/health-queries";
import type { Dashboard } from "@/lib/statistics/types";
import { exportQuery } from "./dashboard-search";
import { Panel } from "./panel";
import { bucketLabel, toZonedField } from "./zone";

type HealthSectionProps = { health: HealthSeries; window: Dashboard["window"] };

const ERROR = 5;

/** Outcome and duration of channel attempts in the window (administrators only). */
export function HealthSection({ health, window }: HealthSectionProps) {
  const t = useTranslations("dashboard");
  const errors = `/log?type=${ERROR}&start=${window.from}&end=${window.until - 1}` as Route;
  const link = (
    <div className="flex flex-wrap items-center gap-3">
      <Link href={errors} className="text-primary text-xs hover:underline">
        {t("showErrors")}
      </Link>
      <ExportMenu path="/detail/export" query={exportQuery(window, "health")} />
    </div>
  );
  return (
    <Panel title={t("health")} aside={link}>
      <Figures total={health.total} />
      {health.missing ? (
        <p role="note" className="px-4 pt-3 text-warning text-xs">
          {t("healthMissing", {
            from: toZonedField(health.missing.from, window.timeZone).replace("T", " "),
            until: toZonedField(health.missing.until, window.timeZone).replace("T", " "),
          })}
        </p>
      ) : null}
      <Causes causes={health.total.causes} badEvents={health.total.badEvents} />
      <Charts health={health} window={window} />
    </Panel>
  );
}

function useDuration(): (ms: number | null) => string {
  const t = useTranslations("dashboard");
  return (ms) => {
    if (ms === null) return "—";
    return ms >= 1_000 ? t("seconds", { value: (ms / 1_000).toFixed(1) }) : t("ms", { value: String(ms) });
  };
}

function Figures({ total }: { total: Health }) {
  const t = useTranslations("dashboard");
  const duration = useDuration();
  const rate = total.successRate === null ? "—" : `${(total.successRate * 100).toFixed(2)}%`;
  const figures = [
    { id: "tries", label: t("tries"), value: String(total.requests) },
    { id: "success", label: t("successRate"), value: rate },
    { id: "p50", label: t("latency", { share: "p50" }), value: duration(total.p50Ms) },
    { id: "p95", label: t("latency", { share: "p95" }), value: duration(total.p95Ms) },
    { id: "first50", label: t("firstToken", { share: "p50" }), value: duration(total.firstTokenP50Ms) },
    { id: "first95", label: t("firstToken", { share: "p95" }), value: duration(total.firstTokenP95Ms) },
  ];
  return (
    <dl className="grid grid-cols-2 gap-x-6 gap-y-2 border-b px-4 py-3 sm:grid-cols-3 xl:grid-cols-6">
      {figures.map(({ id, label, value }) => (
        <div key={id}>
          <dt className="text-muted-foreground text-xs">{label}</dt>
          <dd dir="auto" className="font-semibold tabular-nums" data-testid={`health-${id}`}>
            {value}
          </dd>
        </div>
      ))}
    </dl>
  );
}

function Charts({ health: { total, points }, window }: HealthSectionProps) {
  const t = useTranslations("dashboard");
  const duration = useDuration();
  const labels = points.map(({ bucket }) => bucketLabel(bucket, window.granularity, window.timeZone));
  const failed = points.map((point) => point.failed);
  const times = [
    { id: "p50", name: "p50", colour: colourOf(0), values: points.map(({ p50Ms }) => p50Ms) },
    { id: "p95", name: "p95", colour: colourOf(1), values: points.map(({ p95Ms }) => p95Ms) },
  ];
  const rates = points.map(({ successRate }) => (successRate === null ? null : 1 - successRate));
  const totalRate = total.successRate === null ? "—" : formatRate(1 - total.successRate);
  const timesLabel = t("latenciesLabel", { p50: duration(total.p50Ms), p95: duration(total.p95Ms) });
  return (
    <div className="grid gap-x-6 gap-y-4 px-4 py-3 lg:grid-cols-3">
      <figure>
        <figcaption className="text-muted-foreground text-xs">{t("errorRate")}</figcaption>
        <div role="img" aria-label={t("errorRateLabel", { rate: totalRate })} className="h-48">
          <LazyLineChart
            labels={labels}
            series={[{ id: "rate", name: t("errorRate"), colour: "var(--destructive)", values: rates }]}
            format={formatRate}
          />
        </div>
      </figure>
      <figure>
        <figcaption className="text-muted-foreground text-xs">{t("failures")}</figcaption>
        <div role="img" aria-label={t("failuresLabel", { count: String(total.failed) })} className="h-48">
          <LazyBarChart
            labels={labels}
            series={[{ id: "failed", name: t("failures"), colour: "var(--destructive)", values: failed }]}
            format={String}
            formatAxis={String}
            totalLabel={t("total")}
          />
        </div>
      </figure>
      <figure>
        <figcaption className="flex flex-wrap justify-between gap-x-3 text-muted-foreground text-xs">
          {t("latencies")}
          <ChartLegend entries={times} />
        </figcaption>
        <div role="img" aria-label={timesLabel} className="h-48">
          <LazyLineChart labels={labels} series={times} format={duration} />
        </div>
      </figure>
    </div>
  );
}

const formatRate = (share: number) => `${(share * 100).toFixed(share > 0 && share < 0.1 ? 2 : 1)}%`;

/** They say nothing against the channel. */
const HARMLESS = new Set(["gone", "request", "hedged"]);

function Causes({ causes, badEvents }: Pick<Health, "causes" | "badEvents">) {
  const t = useTranslations("dashboard");
  const nameOutcome = useTranslations("log.outcome");
  if (causes.length === 0 && badEvents === 0)
    return <p className="px-4 pt-3 text-muted-foreground text-xs">{t("noErrors")}</p>;
  const names: Record<(typeof OUTCOMES)[number], string> = {
    ok: nameOutcome("ok"),
    cut: nameOutcome("cut"),
    gone: nameOutcome("gone"),
    refused: nameOutcome("refused"),
    limited: nameOutcome("limited"),
    timeout: nameOutcome("timeout"),
    request: nameOutcome("request"),
    usage: nameOutcome("usage"),
    failed: nameOutcome("failed"),
    hedged: nameOutcome("hedged"),
  };
  const nameOf = (outcome: string) => names[OUTCOMES.find((known) => known === outcome) ?? "failed"];
  return (
    <ul aria-label={t("causes")} className="flex flex-wrap gap-2 px-4 pt-3">
      {causes.map(({ outcome, count }) => (
        <li key={outcome}>
          <Badge hue={HARMLESS.has(outcome) ? "grey" : "red"}>
            {nameOf(outcome)} {count}
          </Badge>
        </li>
      ))}
      {badEvents > 0 ? (
        <li>
          <Badge hue="yellow">
            {t("badEvents")} {badEvents}
          </Badge>
        </li>
      ) : null}
    </ul>
  );
}
