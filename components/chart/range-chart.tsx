"use client";

import { useState } from "react";
import {
  Bar,
  CartesianGrid,
  BarChart as Chart,
  ReferenceArea,
  ResponsiveContainer,
  Tooltip,
  XAxis,
  YAxis,
} from "recharts";
import type { ChartSeries } from "./bar-chart";
import { AXIS_TICK, stackedRows } from "./stacked-rows";
import { TooltipBox } from "./tooltip-box";

type RangeChartProps = {
  labels: string[];
  series: ChartSeries[];
  format: (value: number) => string;
  totalLabel: string;
  /** The bars that are chosen, by index, both inclusive; null = none. */
  chosen: readonly [number, number] | null;
  /** Called while bars are dragged over. */
  onChoose: (range: readonly [number, number]) => void;
  /** Called when the dragging ends. */
  onChosen: (range: readonly [number, number]) => void;
};

/** Stacked bars over time, of which a range can be chosen by dragging. The page must offer the same by keyboard. */
export default function RangeChart(props: RangeChartProps) {
  const { labels, series, format, totalLabel, chosen } = props;
  const rows = stackedRows(labels, series);
  const drag = useDrag(props);
  return (
    <ResponsiveContainer width="100%" height="100%">
      <Chart
        data={rows}
        margin={{ top: 4, right: 8, bottom: 0, left: 0 }}
        accessibilityLayer={false}
        className="cursor-col-resize select-none"
        {...drag}
      >
        <CartesianGrid vertical={false} stroke="var(--border)" />
        <XAxis
          dataKey="place"
          tick={AXIS_TICK}
          tickLine={false}
          stroke="var(--border)"
          minTickGap={24}
          tickFormatter={(place) => labels[Number(place)] ?? ""}
        />
        <YAxis
          width={44}
          tick={AXIS_TICK}
          tickLine={false}
          axisLine={false}
          allowDecimals={false}
          tickFormatter={format}
        />
        <Tooltip
          cursor={{ fill: "var(--muted)", opacity: 0.6 }}
          isAnimationActive={false}
          content={({ active, label, payload }) =>
            active ? (
              <TooltipBox
                title={labels[Number(label)] ?? ""}
                totalLabel={totalLabel}
                format={format}
                entries={payload.map(({ name, value, color }) => ({
                  name: String(name),
                  value: Number(value),
                  colour: color ?? "",
                  apart: false,
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
            maxBarSize={32}
            isAnimationActive={false}
          />
        ))}
        {chosen ? (
          <ReferenceArea x1={chosen[0]} x2={chosen[1]} fill="var(--primary)" fillOpacity={0.15} stroke="none" />
        ) : null}
      </Chart>
    </ResponsiveContainer>
  );
}

type Pointed = { activeTooltipIndex?: unknown };

/** Turns dragging over the bars into a range of them. */
function useDrag({ labels, chosen, onChoose, onChosen }: RangeChartProps) {
  const [from, setFrom] = useState<number | null>(null);
  const placeOf = ({ activeTooltipIndex }: Pointed): number | null => {
    const place = Number(activeTooltipIndex ?? Number.NaN);
    return Number.isInteger(place) && place >= 0 && place < labels.length ? place : null;
  };
  const finish = (place: number | null) => {
    setFrom(null);
    if (from === null) return;
    onChosen(place === null && chosen ? chosen : rangeOf(place ?? from, from));
  };
  return {
    onMouseDown: (state: Pointed) => {
      const place = placeOf(state);
      setFrom(place);
      if (place !== null) onChoose([place, place]);
    },
    onMouseMove: (state: Pointed) => {
      const place = placeOf(state);
      if (from !== null && place !== null) onChoose(rangeOf(place, from));
    },
    onMouseUp: (state: Pointed) => finish(placeOf(state)),
    onMouseLeave: () => finish(null),
  };
}

function rangeOf(one: number, other: number): readonly [number, number] {
  return [Math.min(one, other), Math.max(one, other)];
}
