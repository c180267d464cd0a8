"use client";

import { useTranslations } from "next-intl";
import { JobFilterBar, type JobFiltersProps } from "./job-filters";
import { ACTION_HUES, STATUS_HUES, useTaskLabels } from "./task-labels";

export function TaskFilters(props: JobFiltersProps) {
  const t = useTranslations("task");
  const list = useTranslations("list");
  const labels = useTaskLabels();
  return (
    <JobFilterBar
      {...props}
      usualTime={list("today")}
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
    />
  );
}
