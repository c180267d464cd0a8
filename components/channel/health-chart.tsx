"use client";

import { useTranslations } from "next-intl";
import { Bar, BarChart, CartesianGrid, ResponsiveContainer, Tooltip, XAxis, YAxis } from "recharts";
import { formatQuota } from "@/components/format/quota";
import { useQuotaDisplay } from "@/components/format/quota-display";
import { useInBrowser } from "@/components/format/time";
import { Skeleton } from "@/components/ui/skeleton";

/** What a channel did in one hour; `hour` in unix seconds. */
export type HealthPoint = { hour: number; succeeded: number; failed: number; quota: number };

type HealthChartProps = { points: HealthPoint[]; from: number; until: number; step: "hour" | "day" };

const HOUR = 3_600;
const HEIGHT = 180;
const axis = { fontSize: 11, fill: "var(--muted-foreground)" } as const;

/** Requests and cost by hour or by day of the reader's own time zone, every one of them, also those without any. */
export function HealthChart(props: HealthChartProps) {
  const inBrowser = useInBrowser();
  if (!inBrowser) return <Skeleton className="h-96 w-full" />;
  return <Charts {...props} />;
}

function Charts({ points, from, until, step }: HealthChartProps) {
  const t = useTranslations("channel");
  const display = useQuotaDisplay();
  const rows = fill(points, from, until, step);
  const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;
  const cost = (quota: number) => formatQuota(quota, display, 4);
  const frame = (
    <>
      <CartesianGrid vertical={false} stroke="var(--border)" />
      <XAxis dataKey="label" tick={axis} tickLine={false} axisLine={false} minTickGap={24} />
    </>
  );
  const box = { background: "var(--surface)", border: "1px solid var(--border)", borderRadius: 8, fontSize: 12 };
  return (
    <div className="flex flex-col gap-4">
      <figure aria-label={t("chartRequests")}>
        <figcaption className="mb-1 flex justify-between gap-2 text-muted-foreground text-xs">
          <span>{t("chartRequests")}</span>
          <span>{t("timeZone", { zone })}</span>
        </figcaption>
        <ResponsiveContainer width="100%" height={HEIGHT}>
          <BarChart data={rows} margin={{ left: -12, right: 4 }} accessibilityLayer={false}>
            {frame}
            <YAxis tick={axis} tickLine={false} axisLine={false} allowDecimals={false} />
            <Tooltip contentStyle={box} cursor={{ fill: "var(--muted)" }} />
            <Bar
              dataKey="succeeded"
              name={t("succeeded")}
              stackId="all"
              fill="var(--success)"
              isAnimationActive={false}
            />
            <Bar
              dataKey="failed"
              name={t("failed")}
              stackId="all"
              fill="var(--destructive)"
              isAnimationActive={false}
            />
          </BarChart>
        </ResponsiveContainer>
      </figure>
      <figure aria-label={t("chartCost")}>
        <figcaption className="mb-1 text-muted-foreground text-xs">{t("chartCost")}</figcaption>
        <ResponsiveContainer width="100%" height={HEIGHT}>
          <BarChart data={rows} margin={{ left: -12, right: 4 }} accessibilityLayer={false}>
            {frame}
            <YAxis
              tick={axis}
              tickLine={false}
              axisLine={false}
              tickFormatter={(quota: number) => formatQuota(quota, display)}
              width={72}
            />
            <Tooltip contentStyle={box} cursor={{ fill: "var(--muted)" }} formatter={(quota) => cost(Number(quota))} />
            <Bar dataKey="quota" name={t("cost")} fill="var(--primary)" isAnimationActive={false} />
          </BarChart>
        </ResponsiveContainer>
      </figure>
      <PointTable rows={rows} cost={cost} />
    </div>
  );
}

function PointTable({ rows, cost }: { rows: Row[]; cost: (quota: number) => string }) {
  const t = useTranslations("channel");
  return (
    <details className="text-xs">
      <summary className="cursor-pointer text-muted-foreground">{t("asTable")}</summary>
      <table className="mt-2 w-full text-left tabular-nums">
        <thead>
          <tr className="text-muted-foreground">
            {[t("time"), t("succeeded"), t("failed"), t("cost")].map((head) => (
              <th key={head} scope="col" className="py-1 font-medium">
                {head}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={row.at} className="border-t">
              <td className="py-1">{row.label}</td>
              <td>{row.succeeded}</td>
              <td>{row.failed}</td>
              <td>{cost(row.quota)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </details>
  );
}

type Row = HealthPoint & { at: string; label: string };

const pad = (value: number) => String(value).padStart(2, "0");

function fill(points: HealthPoint[], from: number, until: number, step: "hour" | "day"): Row[] {
  const rows = new Map<string, Row>();
  const keyOf = (hour: number) => {
    const date = new Date(hour * 1_000);
    const day = `${pad(date.getMonth() + 1)}-${pad(date.getDate())}`;
    const label = step === "day" ? day : `${day} ${pad(date.getHours())}:00`;
    return { label, at: `${date.getFullYear()}-${label}` };
  };
  for (let hour = from - (from % HOUR); hour <= until; hour += HOUR) {
    const { at, label } = keyOf(hour);
    if (!rows.has(at)) rows.set(at, { at, label, hour, succeeded: 0, failed: 0, quota: 0 });
  }
  for (const point of points) {
    const row = rows.get(keyOf(point.hour).at);
    if (!row) continue;
    row.succeeded += point.succeeded;
    row.failed += point.failed;
    row.quota += point.quota;
  }
  return [...rows.values()];
}
