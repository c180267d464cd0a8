"use client";

import { CalendarClock, Check, ChevronDown } from "lucide-react";
import { useTranslations } from "next-intl";
import { useId, useState } from "react";
import { readMoment, toMomentText } from "@/components/form/moment";
import { MomentInput } from "@/components/form/moment-input";
import { useInBrowser } from "@/components/format/time";
import { Button } from "@/components/ui/button";
import { cn } from "@/components/ui/class-names";
import { Popover, PopoverContent, PopoverTrigger } from "@/components/ui/popover";
import { TIME_RANGES, type TimeRange } from "@/lib/time-range";
import { type PickedTimes, toPickedTimes, toShownEnd, useTimeText } from "./time-text";

type TimeRangeFilterProps = {
  value: PickedTimes;
  /** What applies while nothing is chosen, such as "Last 30 days". */
  usual: string;
  ranges?: readonly TimeRange[];
  onValue: (times: PickedTimes) => void;
};

/** The time filter of a list: named periods, which move with the time, or a start and an end. */
export function TimeRangeFilter({ value, usual, ranges = TIME_RANGES, onValue }: TimeRangeFilterProps) {
  const t = useTranslations("list");
  const [isOpen, setOpen] = useState(false);
  const text = useTimeText()(value);
  const onPick = (times: PickedTimes) => {
    setOpen(false);
    onValue(times);
  };
  return (
    <Popover open={isOpen} onOpenChange={setOpen}>
      <PopoverTrigger asChild>
        <Button
          size="md"
          className={cn("px-2.5 font-normal max-sm:w-full", text && "border-primary text-primary")}
          aria-label={`${t("time")}: ${text || usual}`}
        >
          <CalendarClock aria-hidden />
          <span dir="auto" className="truncate">
            {text || usual}
          </span>
          <ChevronDown aria-hidden className="max-sm:ml-auto" />
        </Button>
      </PopoverTrigger>
      <PopoverContent aria-label={t("time")} className="w-84 max-w-[calc(100vw-1rem)]">
        <ul className="p-1">
          <Choice label={usual} isOn={text === ""} onPick={() => onPick(toPickedTimes(null))} />
          {ranges.map((range) => (
            <Choice
              key={range}
              label={t(`range.${range}`)}
              isOn={text !== "" && value.range === range && value.start === null && value.end === null}
              onPick={() => onPick(toPickedTimes(range))}
            />
          ))}
        </ul>
        <CustomTimes value={value} onPick={onPick} />
      </PopoverContent>
    </Popover>
  );
}

function Choice({ label, isOn, onPick }: { label: string; isOn: boolean; onPick: () => void }) {
  return (
    <li>
      <button
        type="button"
        aria-pressed={isOn}
        onClick={onPick}
        className="flex w-full items-center gap-2 rounded-md px-2 py-1.5 text-left text-sm hover:bg-muted"
      >
        <Check className={cn("size-4 shrink-0 text-primary", !isOn && "invisible")} aria-hidden />
        {label}
      </button>
    </li>
  );
}

/** A start and an end, applied together. The end does not belong to the period. */
function CustomTimes({ value, onPick }: { value: PickedTimes; onPick: (times: PickedTimes) => void }) {
  const t = useTranslations("list");
  const inBrowser = useInBrowser();
  const error = useId();
  const [from, setFrom] = useState(() => toMomentText(inBrowser ? value.start : null));
  const [until, setUntil] = useState(() => toMomentText(inBrowser ? toShownEnd(value.end) : null));
  const [start, end] = [readMoment(from), readMoment(until)];
  const isWrong = start === undefined || end === undefined;
  const isReversed = !isWrong && start !== null && end !== null && end <= start;
  const isEmpty = start === null && end === null;
  const apply = () => {
    if (isWrong || isReversed || isEmpty) return;
    onPick({ range: null, start, end: end === null ? null : end - 1 });
  };
  return (
    <div className="flex flex-col gap-2 border-t p-3">
      <p className="font-medium text-muted-foreground text-xs">{t("custom")}</p>
      <MomentInput label={t("from")} text={from} isInvalid={start === undefined} onText={setFrom} onEnter={apply} />
      <MomentInput
        label={t("until")}
        text={until}
        isInvalid={end === undefined || isReversed}
        onText={setUntil}
        onEnter={apply}
      />
      <p id={error} role="alert" className="text-destructive text-xs empty:hidden">
        {isWrong ? t("timeBad") : isReversed ? t("timeReversed") : ""}
      </p>
      <Button
        variant="primary"
        disabled={isWrong || isReversed || isEmpty}
        aria-describedby={error}
        onClick={apply}
        className="self-end"
      >
        {t("apply")}
      </Button>
    </div>
  );
}
