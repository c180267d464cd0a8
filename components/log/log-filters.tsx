"use client";

import { useTranslations } from "next-intl";
import type { ReactNode } from "react";
import { FilterBar, TextFilter } from "@/components/data-table/filter-bar";
import { useFilters } from "@/components/data-table/use-filters";
import { Select } from "@/components/ui/select";
import { LOG_TYPE } from "@/lib/row-status";
import type { LogWindow } from "@/lib/usage-log/window";
import { logFilterParams } from "./log-search";
import { TimeFilter } from "./time-filter";

const TYPES = Object.values(LOG_TYPE);

type LogFiltersProps = {
  /** The tools of the log, at the end of the bar. */
  actions: ReactNode;
  isAdmin: boolean;
  /** What the times are while none is chosen. */
  window: LogWindow;
};

/** Filters of the usage log; those on channels and users are for administrators (B097, B208). */
export function LogFilters({ isAdmin, window, actions }: LogFiltersProps) {
  const t = useTranslations("log");
  const { filters, active, setFilters, clear } = useFilters(logFilterParams);
  const texts = [
    { id: "token", label: t("tokenName"), placeholder: t("tokenName"), width: "sm:w-32", shown: true },
    { id: "model", label: t("modelName"), placeholder: t("modelPattern"), width: "sm:w-50", shown: true },
    { id: "group", label: t("group"), placeholder: t("group"), width: "sm:w-24", shown: true },
    { id: "username", label: t("username"), placeholder: t("username"), width: "sm:w-28", shown: isAdmin },
    { id: "request", label: t("requestId"), placeholder: t("requestId"), width: "sm:w-32", shown: true },
  ] as const;
  // A request is looked up whenever it was.
  const implied = filters.request === "" ? window : { start: null, end: null };
  return (
    <FilterBar active={active} onClear={clear} actions={actions}>
      <Select
        aria-label={t("type")}
        value={filters.type}
        onChange={(event) => setFilters({ type: Number(event.target.value) })}
        className="w-full sm:w-36"
      >
        <option value={0}>{`${t("type")}: ${t("type0")}`}</option>
        {TYPES.map((type) => (
          <option key={type} value={type}>
            {t(`type${type}`)}
          </option>
        ))}
      </Select>
      <TimeFilter
        label={t("start")}
        value={filters.start ?? implied.start}
        onValue={(start) => setFilters({ start })}
      />
      <TimeFilter label={t("end")} value={filters.end ?? implied.end} onValue={(end) => setFilters({ end })} />
      {texts
        .filter((field) => field.shown)
        .map((field) => (
          <TextFilter
            key={field.id}
            label={field.label}
            placeholder={field.placeholder}
            value={filters[field.id]}
            onValue={(value) => setFilters({ [field.id]: value })}
            className={`w-[calc(50%-0.25rem)] ${field.width}`}
          />
        ))}
      {isAdmin ? (
        <TextFilter
          label={t("channelId")}
          inputMode="numeric"
          value={filters.channel === null ? "" : String(filters.channel)}
          onValue={(value) => setFilters({ channel: /^\d{1,9}$/.test(value) ? Number(value) : null })}
          className="w-[calc(50%-0.25rem)] sm:w-28"
        />
      ) : null}
    </FilterBar>
  );
}
