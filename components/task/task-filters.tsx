"use client";

import { useTranslations } from "next-intl";
import { FilterBar, TextFilter } from "@/components/data-table/filter-bar";
import { useFilters } from "@/components/data-table/use-filters";
import { TimeFilter } from "@/components/log/time-filter";
import { Select } from "@/components/ui/select";
import { ACTION_HUES, STATUS_HUES, useTaskLabels } from "./task-labels";
import { taskFilterParams } from "./task-search";

type TaskFiltersProps = {
  isAdmin: boolean;
  /** What is shown while no time is chosen, in unix seconds. */
  window: { start: number; end: number };
};

/** Filters of the asynchronous tasks; the one on channels is for administrators. */
export function TaskFilters({ isAdmin, window }: TaskFiltersProps) {
  const t = useTranslations("task");
  const labels = useTaskLabels();
  const { filters, active, setFilters, clear } = useFilters(taskFilterParams);
  return (
    <FilterBar active={active} onClear={clear}>
      <TextFilter
        search
        label={t("taskId")}
        value={filters.id}
        onValue={(id) => setFilters({ id })}
        className="sm:w-48"
      />
      <TimeFilter label={t("start")} value={filters.start ?? window.start} onValue={(start) => setFilters({ start })} />
      <TimeFilter label={t("end")} value={filters.end ?? window.end} onValue={(end) => setFilters({ end })} />
      <Select
        aria-label={t("type")}
        value={filters.action}
        onChange={(event) => setFilters({ action: event.target.value })}
        className="w-[calc(50%-0.25rem)] sm:w-36"
      >
        <option value="">{t("allTypes")}</option>
        {Object.keys(ACTION_HUES).map((action) => (
          <option key={action} value={action}>
            {labels.action(action).text}
          </option>
        ))}
      </Select>
      <Select
        aria-label={t("taskStatus")}
        value={filters.status}
        onChange={(event) => setFilters({ status: event.target.value })}
        className="w-[calc(50%-0.25rem)] sm:w-36"
      >
        <option value="">{t("allStatuses")}</option>
        {Object.keys(STATUS_HUES).map((status) => (
          <option key={status} value={status}>
            {labels.status(status).text}
          </option>
        ))}
      </Select>
      {isAdmin ? (
        <TextFilter
          label={t("channelId")}
          inputMode="numeric"
          value={filters.channel === null ? "" : String(filters.channel)}
          onValue={(value) => setFilters({ channel: /^\d{1,9}$/.test(value) ? Number(value) : null })}
          className="sm:w-28"
        />
      ) : null}
    </FilterBar>
  );
}
