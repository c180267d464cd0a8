"use client";

import { LayoutGrid, Table2 } from "lucide-react";
import { useTranslations } from "next-intl";
import { useQueryStates } from "nuqs";
import { useListTransition } from "@/components/data-table/list-transition";
import { JobFilterBar, type JobFiltersProps } from "@/components/task/job-filters";
import { Button } from "@/components/ui/button";
import { drawingViewParams } from "../task/task-search";
import { ACTION_HUES, STATUS_HUES, useDrawingLabels } from "./drawing-labels";

export function DrawingFilters(props: JobFiltersProps) {
  const t = useTranslations("drawing");
  const list = useTranslations("list");
  const labels = useDrawingLabels();
  return (
    <JobFilterBar
      {...props}
      usualTime={list("last30Days")}
      words={{
        id: t("taskId"),
        type: t("type"),
        allTypes: t("allTypes"),
        status: t("taskStatus"),
        allStatuses: t("allStatuses"),
        channel: t("channelId"),
      }}
      actions={Object.keys(ACTION_HUES).map((value) => ({ value, text: labels.action(value).text }))}
      statuses={Object.keys(STATUS_HUES).map((value) => ({ value, text: labels.status(value).text }))}
    >
      <ViewSwitch />
    </JobFilterBar>
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
