"use client";

import { Pie, PieChart, ResponsiveContainer, Tooltip } from "recharts";
import { TooltipBox } from "./tooltip-box";

export type Slice = { id: string; name: string; colour: string; value: number };

type DonutChartProps = {
  slices: Slice[];
  format: (value: number) => string;
  onPick?: (slice: string) => void;
};

/** Shares of a whole. Not accessible by itself: the page must show the same data as a list. */
export default function DonutChart({ slices, format, onPick }: DonutChartProps) {
  const data = slices.map(({ id, name, value, colour }) => ({ id, name, value, fill: colour }));
  return (
    <ResponsiveContainer width="100%" height="100%">
      <PieChart accessibilityLayer={false}>
        <Pie
          data={data}
          dataKey="value"
          nameKey="name"
          innerRadius="50%"
          outerRadius="80%"
          // Not focusable: keyboard users use the list beside the chart.
          rootTabIndex={-1}
          stroke="var(--surface)"
          isAnimationActive={false}
          className={onPick ? "cursor-pointer" : ""}
          onClick={(_slice, place) => {
            const slice = slices[place];
            if (slice) onPick?.(slice.id);
          }}
        />
        <Tooltip
          isAnimationActive={false}
          content={({ active, payload }) =>
            active && payload[0] ? (
              <TooltipBox
                title={String(payload[0].name)}
                format={format}
                entries={[
                  {
                    name: String(payload[0].name),
                    value: Number(payload[0].value),
                    colour: String(payload[0].payload?.fill),
                  },
                ]}
              />
            ) : null
          }
        />
      </PieChart>
    </ResponsiveContainer>
  );
}
