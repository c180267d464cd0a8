"use client";

import { useTranslations } from "next-intl";
import { cn } from "@/components/ui/class-names";
import type { ModelSeries } from "@/lib/statistics/types";
import type { Metric } from "./dashboard-search";
import { useMetricFormat } from "./metric";

export type NamedSeries = ModelSeries & { id: string; label: string; colour: string };

type LegendProps = {
  series: NamedSeries[];
  metric: Metric;
  /** The only series shown; null = all. */
  alone: string | null;
  onAlone: (id: string | null) => void;
};

/** Series with their totals; a click shows only that series, or all again. */
export function Legend({ series, metric, alone, onAlone }: LegendProps) {
  const t = useTranslations("dashboard");
  const format = useMetricFormat(metric, 2);
  return (
    <ul aria-label={t("legend")} className="mt-2 flex flex-wrap gap-x-3 gap-y-1">
      {series.map((one) => (
        <li key={one.id}>
          <button
            type="button"
            aria-pressed={alone === one.id}
            onClick={() => onAlone(alone === one.id ? null : one.id)}
            className={cn(
              "flex items-center gap-1.5 rounded px-1 py-0.5 text-xs hover:bg-muted",
              alone !== null && alone !== one.id && "text-muted-foreground line-through",
            )}
          >
            <span aria-hidden className="size-2.5 rounded-sm" style={{ background: one.colour }} />
            <span dir="auto" className="max-w-48 truncate">
              {one.label}
            </span>
            <span className="text-muted-foreground tabular-nums">{format(one[metric])}</span>
          </button>
        </li>
      ))}
    </ul>
  );
}
