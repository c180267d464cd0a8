import { getTranslations } from "next-intl/server";
import { Badge, type Hue } from "@/components/ui/badge";
import type { Health } from "@/lib/health/types";

/** Rates from 0 to 1: green from 0.99, yellow from 0.9, red below. */
export function hueOfRate(rate: number): Hue {
  if (rate >= 0.99) return "green";
  return rate >= 0.9 ? "yellow" : "red";
}

/** A rate as a percentage, rounded down: it shows 100% only when nothing failed. */
export function formatRate(rate: number): string {
  return `${(Math.floor(rate * 1_000) / 10).toFixed(rate === 1 ? 0 : 1)}%`;
}

type HealthCellProps = {
  health: Promise<Map<number, Health>>;
  id: number;
  /** Small print below another value; renders nothing without traffic. */
  brief?: boolean;
};

/** Success rate and 95th percentile of one channel in the last 24 hours. Streamed after the rows. */
export async function HealthCell({ health, id, brief = false }: HealthCellProps) {
  const [found, t, common] = await Promise.all([health, getTranslations("channel"), getTranslations("common")]);
  const own = found.get(id);
  if (!own || own.successRate === null)
    return brief ? null : <span className="text-muted-foreground">{t("noTraffic")}</span>;
  const p95 = own.p95Ms === null ? "" : common("seconds", { value: (own.p95Ms / 1_000).toFixed(1) });
  if (brief)
    return (
      <span className="whitespace-nowrap text-muted-foreground text-xs tabular-nums">
        <span className="sr-only">{t("health24")} </span>
        {[formatRate(own.successRate), p95].filter(Boolean).join(" · ")}
      </span>
    );
  return (
    <span className="inline-flex items-center gap-1.5 whitespace-nowrap tabular-nums">
      <Badge hue={hueOfRate(own.successRate)}>{formatRate(own.successRate)}</Badge>
      {p95 === "" ? null : <span className="text-muted-foreground text-xs">{p95}</span>}
    </span>
  );
}
