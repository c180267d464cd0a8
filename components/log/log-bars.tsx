"use client";

import { useTranslations } from "next-intl";
import { useState } from "react";
import { RangeBars } from "@/components/chart/range-bars";
import { useFilters } from "@/components/data-table/use-filters";
import { formatNumber } from "@/components/format/quota";
import { formatTime, useInBrowser } from "@/components/format/time";
import { Button } from "@/components/ui/button";
import type { LogBars as Bars } from "@/lib/usage-log/failure-types";
import { logFilterParams } from "./log-search";

const COLOURS = { requests: "#3b82c4", errors: "#c5303c" };
const DAY = 86_400;

type Range = readonly [number, number];

/** Requests and errors over the time of the list. Dragging over the bars, or the two sliders, choose the time of the list. */
export function LogBars({ bars: { bars, start, end, stepSeconds } }: { bars: Bars }) {
  const t = useTranslations("log.failure");
  const inBrowser = useInBrowser();
  const { setFilters } = useFilters(logFilterParams);
  const [chosen, setChosen] = useState<Range | null>(null);
  const last = bars.length - 1;
  const whole: Range = [0, last];
  const [from, until] = chosen ?? whole;
  const textOf = (seconds: number) =>
    inBrowser ? formatTime(seconds).slice(end - start > DAY ? 5 : 11, stepSeconds >= DAY ? 10 : 16) : "";
  const startOf = (place: number) => bars[place]?.start ?? start;
  const endOf = (place: number) => Math.min(end, startOf(place) + stepSeconds - 1);
  // A chosen range takes the place of a named period.
  const apply = ([first, final]: Range) => {
    setChosen(null);
    // A single bar that is the whole list would change nothing.
    if (first === 0 && final === last) return;
    setFilters({ range: null, start: Math.max(start, startOf(first)), end: endOf(final) });
  };
  const sum = (pick: "requests" | "errors") => bars.reduce((all, bar) => all + bar[pick], 0);
  const figures = { requests: formatNumber(sum("requests")), errors: formatNumber(sum("errors")) };
  const slide = (range: Range) => setChosen(range[0] === 0 && range[1] === last ? null : range);
  return (
    <figure aria-label={t("bars")} className="border-b px-4 pt-3 pb-2" data-testid="log-bars">
      <figcaption className="mb-1 flex flex-wrap items-center gap-x-4 text-muted-foreground text-xs">
        <span>{t("barsSum", figures)}</span>
        <span className="max-md:hidden">{t("barsHint")}</span>
      </figcaption>
      <div className="h-24" aria-hidden>
        <RangeBars
          labels={bars.map((bar) => textOf(bar.start))}
          series={(["errors", "requests"] as const).map((id) => ({
            id,
            name: t(id === "errors" ? "errors" : "succeeded"),
            colour: COLOURS[id],
            values: bars.map((bar) => bar[id]),
          }))}
          format={formatNumber}
          totalLabel={t("requests")}
          chosen={chosen}
          onChoose={setChosen}
          onChosen={apply}
        />
      </div>
      <form
        className="mt-1 flex flex-wrap items-center gap-x-3 gap-y-1 text-xs"
        onSubmit={(event) => {
          event.preventDefault();
          apply([from, until]);
        }}
      >
        <Slider
          label={t("from")}
          text={textOf(startOf(from))}
          value={from}
          max={last}
          onValue={(value) => slide([value, Math.max(value, until)])}
        />
        <Slider
          label={t("until")}
          text={textOf(endOf(until))}
          value={until}
          max={last}
          onValue={(value) => slide([Math.min(value, from), value])}
        />
        <Button type="submit" disabled={chosen === null} className="h-7 px-2 text-xs">
          {t("showTime")}
        </Button>
      </form>
    </figure>
  );
}

type SliderProps = { label: string; text: string; value: number; max: number; onValue: (value: number) => void };

function Slider({ label, text, value, max, onValue }: SliderProps) {
  return (
    <label className="flex min-w-0 flex-1 items-center gap-2 text-muted-foreground max-sm:basis-full">
      <span className="shrink-0">{label}</span>
      <input
        type="range"
        min={0}
        max={max}
        value={value}
        aria-valuetext={text}
        onChange={(event) => onValue(Number(event.target.value))}
        className="min-w-16 flex-1 accent-primary"
      />
      <span className="w-22 shrink-0 tabular-nums">{text}</span>
    </label>
  );
}
