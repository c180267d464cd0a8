import { getTranslations } from "next-intl/server";
import { Badge, type Hue } from "@/components/ui/badge";
import type { Health } from "@/lib/health/types";

/** Green while nearly everything succeeds, red when it does not. */
export function hueOfRate(rate: number): Hue {
  if (rate >= 0.99) return "green";
  return rate >= 0.9 ? "yellow" : "red";
}

/** A share as a percentage; never 100 % while anything failed. */
export function formatRate(rate: number): string {
  return `${(Math.floor(rate * 1_000) / 10).toFixed(rate === 1 ? 0 : 1)}%`;
}

type HealthCellProps = {
  health: Promise<Map<number, Health>>;
  id: number;
  /** In small print under something else; nothing at all without traffic. */
  brief?: boolean;
};

/** Success rate and 95th percentile of one channel in the last day. Comes after the rows, without holding them up. */
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
