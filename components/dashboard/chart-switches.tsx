"use client";

import { useTranslations } from "next-intl";
import { Button } from "@/components/ui/button";
import { cn } from "@/components/ui/class-names";
import { Segmented } from "@/components/ui/segmented";
import { METRICS, type Metric } from "./dashboard-search";

type Shown = { metric: Metric; view: "chart" | "table"; compare: boolean; running: boolean };
type ChartSwitchesProps = { shown: Shown; onShown: (change: Partial<Shown>) => void };

export function ChartSwitches({ shown, onShown }: ChartSwitchesProps) {
  const t = useTranslations("dashboard");
  const toggles = [
    { id: "running", label: t("running") },
    { id: "compare", label: t("compare") },
  ] as const;
  return (
    <div className="flex flex-wrap items-center gap-2">
      {shown.view === "chart"
        ? toggles.map(({ id, label }) => (
            <Button
              key={id}
              aria-pressed={shown[id]}
              onClick={() => onShown({ [id]: !shown[id] })}
              className={cn("px-2.5 font-normal text-xs", shown[id] && "border-primary text-primary")}
            >
              {label}
            </Button>
          ))
        : null}
      <Segmented
        label={t("metric")}
        value={shown.metric}
        choices={METRICS.map((value) => ({ value, label: t(`metric_${value}`) }))}
        onValue={(metric) => onShown({ metric })}
      />
      <Segmented
        label={t("view")}
        value={shown.view}
        choices={[
          { value: "chart", label: t("chart") },
          { value: "table", label: t("table") },
        ]}
        onValue={(view) => onShown({ view })}
      />
    </div>
  );
}
