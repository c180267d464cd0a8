"use client";

import { CartesianGrid, LineChart as Chart, Line, ResponsiveContainer, Tooltip, XAxis, YAxis } from "recharts";
import { AXIS_TICK } from "./axis";
import { TooltipBox } from "./tooltip-box";

export type LineSeries = { id: string; name: string; colour: string; values: (number | null)[] };

type LineChartProps = {
  labels: string[];
  series: LineSeries[];
  format: (value: number) => string;
};

/** Values over time; a missing value leaves a gap in the line. */
export default function LineChart({ labels, series, format }: LineChartProps) {
  const rows = labels.map((label, place) => ({
    label,
    ...Object.fromEntries(series.map(({ id, values }) => [id, values[place] ?? null])),
  }));
  return (
    <ResponsiveContainer width="100%" height="100%">
      <Chart data={rows} margin={{ top: 8, right: 8, bottom: 0, left: 0 }} accessibilityLayer={false}>
        <CartesianGrid vertical={false} stroke="var(--border)" />
        <XAxis dataKey="label" tick={AXIS_TICK} tickLine={false} stroke="var(--border)" minTickGap={24} />
        <YAxis width={64} tick={AXIS_TICK} tickLine={false} axisLine={false} tickFormatter={format} />
        <Tooltip
          isAnimationActive={false}
          content={({ active, label, payload }) =>
            active ? (
              <TooltipBox
                title={String(label)}
                format={format}
                entries={payload.flatMap(({ name, value, color }) =>
                  typeof value === "number" ? [{ name: String(name), value, colour: color ?? "" }] : [],
                )}
              />
            ) : null
          }
        />
        {series.map(({ id, name, colour }) => (
          <Line
            key={id}
            dataKey={id}
            name={name}
            stroke={colour}
            strokeWidth={2}
            dot={{ r: 2 }}
            connectNulls={false}
            isAnimationActive={false}
          />
        ))}
      </Chart>
    </ResponsiveContainer>
  );
}
