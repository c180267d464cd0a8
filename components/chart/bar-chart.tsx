"use client";

import { Bar, CartesianGrid, ComposedChart as Chart, Line, ResponsiveContainer, Tooltip, XAxis, YAxis } from "recharts";
import { AXIS_TICK, stackedRows } from "./axis";
import { TooltipBox } from "./tooltip-box";

export type ChartSeries = { id: string; name: string; colour: string; values: number[] };

type BarChartProps = {
  labels: string[];
  series: ChartSeries[];
  format: (value: number) => string;
  formatAxis: (value: number) => string;
  totalLabel: string;
  /** Drawn as a line over the bars; not part of the total. */
  line?: ChartSeries | undefined;
  /** Called on a click on a bar with the series id and the index of the label. */
  onPick?: ((series: string, place: number) => void) | undefined;
};

/** Stacked bars over time. Not accessible by itself: the page must show the same data as text or as a table. */
export default function BarChart(props: BarChartProps) {
  const { labels, series, format, formatAxis, totalLabel, line, onPick } = props;
  const all = line ? [...series, line] : series;
  const rows = stackedRows(labels, all);
  return (
    <ResponsiveContainer width="100%" height="100%">
      <Chart data={rows} margin={{ top: 8, right: 8, bottom: 0, left: 0 }} accessibilityLayer={false}>
        <CartesianGrid vertical={false} stroke="var(--border)" />
        <XAxis dataKey="label" tick={AXIS_TICK} tickLine={false} stroke="var(--border)" minTickGap={24} />
        <YAxis
          width={64}
          tick={AXIS_TICK}
          tickLine={false}
          axisLine={false}
          // Quota, requests and tokens are integers.
          allowDecimals={false}
          tickFormatter={formatAxis}
        />
        <Tooltip
          cursor={{ fill: "var(--muted)", opacity: 0.6 }}
          isAnimationActive={false}
          content={({ active, label, payload }) =>
            active ? (
              <TooltipBox
                title={String(label)}
                totalLabel={series.length > 1 ? totalLabel : undefined}
                format={format}
                entries={payload.map(({ name, value, color, dataKey }) => ({
                  name: String(name),
                  value: Number(value),
                  colour: color ?? "",
                  apart: line !== undefined && dataKey === line.id,
                }))}
              />
            ) : null
          }
        />
        {series.map(({ id, name, colour }) => (
          <Bar
            key={id}
            dataKey={id}
            name={name}
            stackId="one"
            fill={colour}
            maxBarSize={48}
            isAnimationActive={false}
            className={onPick ? "cursor-pointer" : ""}
            onClick={(_bar, place) => onPick?.(id, place)}
          />
        ))}
        {line ? (
          <Line
            dataKey={line.id}
            name={line.name}
            stroke={line.colour}
            strokeWidth={2}
            strokeDasharray="5 4"
            dot={false}
            isAnimationActive={false}
          />
        ) : null}
      </Chart>
    </ResponsiveContainer>
  );
}
