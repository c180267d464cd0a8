"use client";

import { LayoutGrid, Table2 } from "lucide-react";
import { useTranslations } from "next-intl";
import { useQueryStates } from "nuqs";
import { FilterBar, TextFilter } from "@/components/data-table/filter-bar";
import { useListTransition } from "@/components/data-table/list-transition";
import { useFilters } from "@/components/data-table/use-filters";
import { TimeFilter } from "@/components/log/time-filter";
import { Button } from "@/components/ui/button";
import { Select } from "@/components/ui/select";
import { ACTION_HUES, STATUS_HUES, useDrawingLabels } from "./drawing-labels";
import { drawingFilterParams, drawingViewParams } from "./drawing-search";

type DrawingFiltersProps = {
  isAdmin: boolean;
  /** What is shown while no time is chosen, in unix seconds. */
  window: { start: number; end: number };
};

/** Filters of the drawing tasks; the one on channels is for administrators. */
export function DrawingFilters({ isAdmin, window }: DrawingFiltersProps) {
  const t = useTranslations("drawing");
  const labels = useDrawingLabels();
  const { filters, active, setFilters, clear } = useFilters(drawingFilterParams);
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
      <ViewSwitch />
    </FilterBar>
  );
}

function ViewSwitch() {
  const t = useTranslations("drawing");
  const { startTransition } = useListTransition();
  const [{ view }, setView] = useQueryStates(drawingViewParams, { shallow: false, startTransition });
  const isGallery = view === "gallery";
  return (
    <Button size="md" aria-pressed={isGallery} onClick={() => setView({ view: isGallery ? null : "gallery" })}>
      {isGallery ? <Table2 aria-hidden /> : <LayoutGrid aria-hidden />}
      {isGallery ? t("tableView") : t("galleryView")}
    </Button>
  );
}
