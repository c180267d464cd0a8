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

/** Success rate and 95th percentile of one channel in the last day. Comes after the rows, without holding them up. */
export async function HealthCell({ health, id }: { health: Promise<Map<number, Health>>; id: number }) {
  const [found, t, common] = await Promise.all([health, getTranslations("channel"), getTranslations("common")]);
  const own = found.get(id);
  if (!own || own.successRate === null) return <span className="text-muted-foreground">{t("noTraffic")}</span>;
  return (
    <span className="inline-flex items-center gap-1.5 whitespace-nowrap tabular-nums">
      <Badge hue={hueOfRate(own.successRate)}>{formatRate(own.successRate)}</Badge>
      {own.p95Ms === null ? null : (
        <span className="text-muted-foreground text-xs">
          {common("seconds", { value: (own.p95Ms / 1_000).toFixed(1) })}
        </span>
      )}
    </span>
  );
}
