"use client";

import { useTranslations } from "next-intl";
import { formatTime, useInBrowser } from "@/components/format/time";
import type { TimeRange, Times } from "@/lib/time-range";

/** The time filter as the URL has it. */
export type PickedTimes = Times & { range: TimeRange | null };

export const toPickedTimes = (range: TimeRange | null): PickedTimes => ({ range, start: null, end: null });

/** The URL has the last second of the period; shown is the moment at which it ends. */
export const toShownEnd = (end: number | null): number | null => (end === null ? null : end + 1);

const toMinute = (seconds: number) => formatTime(seconds).slice(0, 16);

/** The chosen period in words; "" while nothing is chosen. */
export function useTimeText(): (times: PickedTimes) => string {
  const t = useTranslations("list");
  const inBrowser = useInBrowser();
  return ({ range, start, end }) => {
    const shownEnd = toShownEnd(end);
    if (start === null && shownEnd === null) return range === null ? "" : t(`range.${range}`);
    // The server does not know the browser's time zone.
    if (!inBrowser) return "…";
    if (start === null) return t("before", { end: toMinute(shownEnd ?? 0) });
    if (shownEnd === null) return t("since", { start: toMinute(start) });
    return `${toMinute(start)} – ${toMinute(shownEnd)}`;
  };
}
