"use client";

import { useRouter } from "next/navigation";
import { useTranslations } from "next-intl";
import { useEffect } from "react";
import { TextFilter } from "@/components/data-table/filter-bar";
import { type MomentZone, TimeFilter } from "@/components/data-table/time-filter";
import { useFilters } from "@/components/data-table/use-filters";
import { readLocalMoment, splitLocalMoment } from "@/components/form/moment";
import { useInBrowser } from "@/components/format/time";
import { TIME_ZONE_COOKIE } from "@/components/shell/cookies";
import { NativeSelect } from "@/components/ui/native-select";
import { Segmented } from "@/components/ui/segmented";
import type { Dashboard } from "@/lib/statistics/types";
import { dashboardParams } from "./dashboard-search";
import { RANGES, type Range } from "./ranges";
import { fromZonedField, toZonedField } from "./zone";

const ONE_YEAR = 31_536_000;
/** Minutes are for the shortest range only. */
const CHOSEN_GRANULARITIES = ["hour", "day", "week"] as const;

type DashboardFiltersProps = {
  isAdmin: boolean;
  window: Dashboard["window"];
  /** Null = a time of one's own, or the default. */
  range: Range | null;
  /** True if the browser's time zone cookie is set or the URL names a zone. */
  isZoneKnown: boolean;
};

/** Filters of the dashboard; the user filter is for administrators only. */
export function DashboardFilters({ isAdmin, window, range, isZoneKnown }: DashboardFiltersProps) {
  const t = useTranslations("dashboard");
  const { filters, setFilters } = useFilters(dashboardParams);
  useTellZone(isZoneKnown);
  const { from, until, granularity, timeZone } = window;
  const ranges = [...RANGES, "custom"] as const;
  return (
    <search className="mb-4 flex flex-wrap items-center gap-2 rounded-lg border bg-surface px-4 py-3">
      <Segmented
        label={t("range")}
        value={range ?? "custom"}
        choices={ranges.map((value) => ({ value, label: t(`range_${value}`) }))}
        onValue={(chosen) =>
          chosen === "custom"
            ? setFilters({ range: null, start: from, end: until, by: granularity === "minute" ? null : granularity })
            : setFilters({ range: chosen, start: null, end: null, by: null })
        }
        className="max-w-full flex-wrap"
      />
      {range === "15m" ? null : (
        <Segmented
          label={t("granularity")}
          value={granularity}
          choices={CHOSEN_GRANULARITIES.map((value) => ({ value, label: t(value) }))}
          onValue={(by) => setFilters({ by: by === "minute" ? null : by })}
        />
      )}
      {range === null ? (
        <>
          <TimeFilter
            label={t("start")}
            value={from}
            zone={zoneOf(timeZone)}
            onValue={(start) => setFilters({ start, end: until })}
          />
          <TimeFilter
            label={t("end")}
            value={until}
            zone={zoneOf(timeZone)}
            onValue={(end) => setFilters({ start: from, end })}
          />
        </>
      ) : null}
      <ZoneSelect value={timeZone} onValue={(zone) => setFilters({ zone })} />
      {isAdmin ? (
        <TextFilter
          label={t("username")}
          value={filters.username}
          onValue={(username) => setFilters({ username })}
          className="sm:w-36"
        />
      ) : null}
    </search>
  );
}

/** The server does not know the browser's time zone: this sets it in a cookie once and reloads the data. */
function useTellZone(isKnown: boolean): void {
  const router = useRouter();
  useEffect(() => {
    if (isKnown) return;
    const { timeZone } = Intl.DateTimeFormat().resolvedOptions();
    // biome-ignore lint/suspicious/noDocumentCookie: the Cookie Store API is not in every supported browser
    document.cookie = `${TIME_ZONE_COOKIE}=${encodeURIComponent(timeZone)}; path=/; max-age=${ONE_YEAR}; samesite=lax`;
    // If the browser reports no region zone (such as Europe/Berlin), the page stays in UTC; a refresh would loop.
    if (timeZone.includes("/")) router.refresh();
  }, [isKnown, router]);
}

/** Moments in the dashboard's time zone, to the minute. */
const zoneOf = (timeZone: string): MomentZone => ({
  toText: (seconds) => splitLocalMoment(toZonedField(seconds, timeZone)),
  read: (text) => {
    const local = readLocalMoment(text);
    return typeof local === "string" ? (fromZonedField(local, timeZone) ?? undefined) : local;
  },
});

/** Common time zones, listed first. */
const USUAL_ZONES = [
  "UTC",
  "Asia/Shanghai",
  "Asia/Tokyo",
  "Europe/London",
  "Europe/Berlin",
  "America/New_York",
  "America/Los_Angeles",
];

function ZoneSelect({ value, onValue }: { value: string; onValue: (zone: string) => void }) {
  const t = useTranslations("dashboard");
  const inBrowser = useInBrowser();
  const own = inBrowser ? Intl.DateTimeFormat().resolvedOptions().timeZone : null;
  const usual = [...new Set([...(own ? [own] : []), value, ...USUAL_ZONES])];
  const all = inBrowser ? Intl.supportedValuesOf("timeZone").filter((zone) => !usual.includes(zone)) : [];
  return (
    <NativeSelect
      aria-label={t("zone")}
      value={value}
      onChange={(event) => onValue(event.target.value)}
      className="w-full sm:w-64"
    >
      {usual.map((zone) => (
        <option key={zone} value={zone}>
          {zone === own ? t("ownZone", { zone }) : zone}
        </option>
      ))}
      <optgroup label={t("allZones")}>
        {all.map((zone) => (
          <option key={zone} value={zone}>
            {zone}
          </option>
        ))}
      </optgroup>
    </NativeSelect>
  );
}
