import { HeartPulse } from "lucide-react";
import { getTranslations } from "next-intl/server";
import { EmptyList } from "@/components/data-table/list-parts";
import { ModelChip } from "@/components/format/model-chip";
import { formatRate } from "@/components/format/quota";
import { cn } from "@/components/ui/class-names";
import { addBuckets } from "@/lib/health/buckets";
import { summariseHealth } from "@/lib/health/summarise";
import type { Health, HealthRow } from "@/lib/health/types";
import { UsedQuota } from "./balance-cell";
import { HealthChart } from "./health-chart";
import type { HealthPoint } from "./health-points";

type HealthOverviewProps = { rows: Promise<HealthRow[]>; from: number; until: number; step: "hour" | "day" };

/** The channel's health in a window: rates and times, causes of failure, models, and the course over time. */
export async function HealthOverview({ rows: loading, from, until, step }: HealthOverviewProps) {
  const [rows, t] = await Promise.all([loading, getTranslations("channel")]);
  const health = summariseHealth(rows);
  if (health.requests === 0)
    return <EmptyList icon={<HeartPulse aria-hidden />} title={t("noTraffic")} text={t("noTrafficText")} />;
  return (
    <div className="flex flex-col gap-5 p-4">
      <Figures health={health} />
      <HealthChart points={toPoints(rows)} from={from} until={until} step={step} />
      <div className="grid gap-5 lg:grid-cols-2">
        <Causes health={health} />
        <Models rows={rows} />
      </div>
    </div>
  );
}

async function Figures({ health }: { health: Health }) {
  const [t, common] = await Promise.all([getTranslations("channel"), getTranslations("common")]);
  const seconds = (ms: number | null) => (ms === null ? "—" : common("seconds", { value: (ms / 1_000).toFixed(2) }));
  const rate = health.successRate;
  const figures = [
    {
      label: t("successRate"),
      value: rate === null ? "—" : formatRate(rate),
      tone: rate !== null && rate < 0.9 ? "text-destructive" : "",
    },
    { label: t("requests"), value: String(health.requests), note: t("failedOf", { count: health.failed }) },
    { label: t("latencyP50"), value: seconds(health.p50Ms), note: `p95 ${seconds(health.p95Ms)}` },
    {
      label: t("firstTokenP50"),
      value: seconds(health.firstTokenP50Ms),
      note: `p95 ${seconds(health.firstTokenP95Ms)}`,
    },
    { label: t("cost"), value: <UsedQuota quota={health.quota} digits={4} /> },
  ];
  return (
    <dl className="grid grid-cols-2 gap-3 sm:grid-cols-3 xl:grid-cols-5">
      {figures.map(({ label, value, note, tone }) => (
        <div key={label} className="rounded-md border px-3 py-2.5">
          <dt className="text-muted-foreground text-xs">{label}</dt>
          <dd dir="auto" className={cn("font-semibold text-lg tabular-nums", tone)}>
            {value}
          </dd>
          {note ? (
            <dd dir="auto" className="text-muted-foreground text-xs tabular-nums">
              {note}
            </dd>
          ) : null}
        </div>
      ))}
    </dl>
  );
}

const KNOWN = new Set(["usage", "cut", "gone", "refused", "limited", "timeout", "request", "failed", "hedged"]);
type Cause = "usage" | "cut" | "gone" | "refused" | "limited" | "timeout" | "request" | "failed" | "hedged";

async function Causes({ health }: { health: Health }) {
  const t = await getTranslations("channel");
  const most = Math.max(1, ...health.causes.map(({ count }) => count));
  return (
    <section aria-label={t("causes")}>
      <h3 dir="auto" className="mb-2 font-medium text-sm">
        {t("causes")}
      </h3>
      {health.badEvents > 0 ? (
        <p role="note" className="mb-2 text-warning text-xs">
          {t("badEvents", { count: health.badEvents })}
        </p>
      ) : null}
      {health.causes.length === 0 ? <p className="text-muted-foreground">{t("causesNone")}</p> : null}
      <ul className="flex flex-col gap-1.5">
        {health.causes.map(({ outcome, count }) => (
          <li key={outcome} className="text-xs">
            <span className="flex justify-between gap-2">
              <span>{KNOWN.has(outcome) ? t(`cause.${outcome as Cause}`) : outcome}</span>
              <span className="tabular-nums">{count}</span>
            </span>
            <span aria-hidden className="mt-0.5 block h-1 rounded bg-muted">
              <span className="block h-1 rounded bg-destructive" style={{ width: `${(count / most) * 100}%` }} />
            </span>
          </li>
        ))}
      </ul>
    </section>
  );
}

const MODELS_SHOWN = 10;

async function Models({ rows }: { rows: readonly HealthRow[] }) {
  const t = await getTranslations("channel");
  const byModel = groupBy(rows, (row) => row.modelName);
  const models = [...byModel]
    .map(([model, own]) => ({ model, health: summariseHealth(own) }))
    .sort((a, b) => b.health.requests - a.health.requests)
    .slice(0, MODELS_SHOWN);
  return (
    <section aria-label={t("byModel")}>
      <h3 dir="auto" className="mb-2 font-medium text-sm">
        {t("byModel")}
      </h3>
      <ul className="divide-y text-xs">
        {models.map(({ model, health }) => (
          <li key={model} className="flex items-center justify-between gap-3 py-1">
            <ModelChip model={model} className="min-w-0 font-mono font-normal" />
            <span className="flex shrink-0 gap-3 text-muted-foreground tabular-nums">
              <span>{health.requests}</span>
              <span>{health.successRate === null ? "—" : formatRate(health.successRate)}</span>
              <span>
                <UsedQuota quota={health.quota} digits={4} />
              </span>
            </span>
          </li>
        ))}
      </ul>
    </section>
  );
}

/** One point per hour. As in the figures, failures that are not the channel's fault count as successes. */
function toPoints(rows: readonly HealthRow[]): HealthPoint[] {
  return [...groupBy(rows, (row) => row.hour)].map(([hour, own]) => {
    const { succeeded, failed, quota } = summariseHealth(own);
    const latency = own
      .filter(({ outcome }) => outcome === "ok")
      .reduce<number[]>((sum, row) => addBuckets(sum, row.latencyBuckets), []);
    return { hour, succeeded, failed, quota, latency };
  });
}

function groupBy<Key>(rows: readonly HealthRow[], keyOf: (row: HealthRow) => Key): Map<Key, HealthRow[]> {
  const groups = new Map<Key, HealthRow[]>();
  for (const row of rows) {
    const own = groups.get(keyOf(row));
    if (own) own.push(row);
    else groups.set(keyOf(row), [row]);
  }
  return groups;
}
