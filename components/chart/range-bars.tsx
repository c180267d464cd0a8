"use client";

import { type PointerEvent, useState } from "react";
import { cn } from "@/components/ui/class-names";
import type { ChartSeries } from "./bar-chart";
import { axisTop, barAt, labelledBars } from "./bar-scale";
import { TooltipBox } from "./tooltip-box";

type Range = readonly [number, number];

type RangeBarsProps = {
  labels: string[];
  series: ChartSeries[];
  format: (value: number) => string;
  totalLabel: string;
  /** The bars that are chosen, by index, both inclusive; null = none. */
  chosen: Range | null;
  /** Called while bars are dragged over. */
  onChoose: (range: Range) => void;
  /** Called when the dragging ends. */
  onChosen: (range: Range) => void;
};

/**
 * Stacked bars over time, of which a range can be chosen by dragging. The page must offer the same by keyboard. Drawn
 * without the chart library, so that they come with the page.
 */
export function RangeBars(props: RangeBarsProps) {
  const { labels, series, format } = props;
  const top = axisTop(Math.max(0, ...labels.map((_label, place) => sumAt(series, place))));
  return (
    <div className="flex h-full select-none text-[0.6875rem] text-muted-foreground leading-none">
      <div className="flex w-11 shrink-0 flex-col justify-between pr-1.5 pb-4 text-right tabular-nums">
        {[top, top / 2, 0].map((value) => (
          <span key={value} className="-my-[0.5em] first:mt-0">
            {format(value)}
          </span>
        ))}
      </div>
      <div className="mr-2 flex min-w-0 flex-1 flex-col">
        <Plot {...props} top={top} />
        <TimeAxis labels={labels} />
      </div>
    </div>
  );
}

const sumAt = (series: readonly ChartSeries[], place: number): number =>
  series.reduce((sum, { values }) => sum + (values[place] ?? 0), 0);

const percent = (part: number, whole: number): string => `${(part / whole) * 100}%`;

function Plot(props: RangeBarsProps & { top: number }) {
  const { labels, series, top, chosen } = props;
  const { hovered, ...pointer } = usePointer(props);
  return (
    <div className="relative flex-1 cursor-col-resize touch-pan-y border-b" {...pointer}>
      <div className="absolute inset-x-0 top-0 border-t" />
      <div className="absolute inset-x-0 top-1/2 border-t" />
      <div className="absolute inset-0 flex">
        {labels.map((_label, place) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: a bar is its place, and labels may be alike
          <div key={place} className={cn("flex flex-1 justify-center px-px", hovered === place && "bg-muted/60")}>
            <div className="flex w-full max-w-8 flex-col-reverse">
              {series.map(({ id, colour, values }) => (
                <div key={id} style={{ height: percent(values[place] ?? 0, top), background: colour }} />
              ))}
            </div>
          </div>
        ))}
      </div>
      {chosen ? (
        <div
          className="absolute inset-y-0 bg-primary/15"
          style={{ left: percent(chosen[0], labels.length), width: percent(chosen[1] - chosen[0] + 1, labels.length) }}
        />
      ) : null}
      {hovered === null ? null : <BarTooltip {...props} place={hovered} />}
    </div>
  );
}

function BarTooltip({ labels, series, format, totalLabel, place }: RangeBarsProps & { place: number }) {
  const isRight = place >= labels.length / 2;
  return (
    <div
      className={cn("pointer-events-none absolute top-0 z-10 w-max leading-normal", isRight ? "-translate-x-full" : "")}
      style={{ left: percent(isRight ? place : place + 1, labels.length) }}
    >
      <TooltipBox
        title={labels[place] ?? ""}
        totalLabel={totalLabel}
        format={format}
        entries={series.map(({ name, colour, values }) => ({ name, colour, value: values[place] ?? 0 }))}
      />
    </div>
  );
}

/** Labels below some of the bars; on narrow windows below every second of those. */
function TimeAxis({ labels }: { labels: readonly string[] }) {
  return (
    <div className="relative h-4">
      {labelledBars(labels.length).map((place, index) => (
        <span
          key={place}
          className={cn("absolute top-1 -translate-x-1/2 whitespace-nowrap", index % 2 === 1 && "max-md:hidden")}
          style={{ left: percent(place + 0.5, labels.length) }}
        >
          {labels[place]}
        </span>
      ))}
    </div>
  );
}

/** The bar under the pointer, and dragging over the bars as a range of them. */
function usePointer({ labels, onChoose, onChosen }: RangeBarsProps) {
  const [hovered, setHovered] = useState<number | null>(null);
  const [from, setFrom] = useState<number | null>(null);
  const placeOf = (event: PointerEvent<HTMLElement>): number => {
    const { left, width } = event.currentTarget.getBoundingClientRect();
    return barAt(event.clientX - left, width, labels.length);
  };
  return {
    hovered,
    onPointerDown: (event: PointerEvent<HTMLElement>) => {
      if (event.button !== 0 || labels.length === 0) return;
      event.currentTarget.setPointerCapture(event.pointerId);
      const place = placeOf(event);
      setFrom(place);
      onChoose([place, place]);
    },
    onPointerMove: (event: PointerEvent<HTMLElement>) => {
      if (labels.length === 0) return;
      const place = placeOf(event);
      setHovered(place);
      if (from !== null) onChoose(rangeOf(place, from));
    },
    onPointerUp: (event: PointerEvent<HTMLElement>) => {
      setFrom(null);
      if (from !== null) onChosen(rangeOf(placeOf(event), from));
    },
    // The browser has taken the touch for scrolling: what was dragged over stays chosen, and nothing is shown anew.
    onPointerCancel: () => setFrom(null),
    onPointerLeave: () => setHovered(null),
  };
}

const rangeOf = (one: number, other: number): Range => [Math.min(one, other), Math.max(one, other)];
