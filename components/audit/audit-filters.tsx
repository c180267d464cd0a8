"use client";

import { useSearchParams } from "next/navigation";
import { useTranslations } from "next-intl";
import { useQueryStates } from "nuqs";
import type { ReactNode } from "react";
import { ExportMenu } from "@/components/data-table/export-menu";
import { FilterBar, TextFilter } from "@/components/data-table/filter-bar";
import { chipOf } from "@/components/data-table/filter-chips";
import { filterQuery } from "@/components/data-table/list-params";
import { useListTransition } from "@/components/data-table/list-transition";
import { SuggestFilter } from "@/components/data-table/suggest-filter";
import { TimeRangeFilter } from "@/components/data-table/time-range-filter";
import { useTimeText } from "@/components/data-table/time-text";
import { NativeSelect } from "@/components/ui/native-select";
import { useActionName } from "./action-name";
import { auditFilterParams } from "./audit-search";

type Change = Partial<{ [Key in keyof typeof auditFilterParams]: string | number | null }>;

export function AuditFilters({ actions, views }: { actions: readonly string[]; views: ReactNode }) {
  const t = useTranslations("audit");
  const list = useTranslations("list");
  const common = useTranslations("common");
  const timeText = useTimeText();
  const actionName = useActionName();
  const { startTransition } = useListTransition();
  const [filters, setFilters] = useQueryStates(auditFilterParams, {
    shallow: false,
    history: "push",
    startTransition,
  });
  const { before: _, ...conditions } = filters;
  const query = filterQuery(useSearchParams(), auditFilterParams);
  const active = Object.values(conditions).some((value) => value !== "" && value !== null);
  const set = (change: Change) => setFilters({ ...change, before: null } as Parameters<typeof setFilters>[0]);
  const times = { range: filters.range, start: filters.from, end: filters.to };
  const chips = [
    ...chipOf(t("actor"), filters.actor, () => set({ actor: null })),
    ...chipOf(t("action"), filters.action && actionName(filters.action), () => set({ action: null })),
    ...chipOf(t("subject"), filters.subject, () => set({ subject: null })),
    ...chipOf(list("time"), timeText(times), () => set({ range: null, from: null, to: null })),
  ];
  return (
    <FilterBar
      active={active}
      chips={chips}
      onClear={() => setFilters(null)}
      actions={
        <>
          {views}
          <ExportMenu path="/audit/export" query={query} />
        </>
      }
    >
      <SuggestFilter
        of="user"
        label={t("actorFilter")}
        value={filters.actor}
        onValue={(actor) => set({ actor: actor || null })}
        className="sm:w-52"
      />
      <NativeSelect
        aria-label={t("action")}
        value={filters.action}
        onChange={(event) => set({ action: event.target.value || null })}
        className="w-full sm:w-48"
      >
        <option value="">{common("filterAll", { name: t("action") })}</option>
        {actions.map((action) => (
          <option key={action} value={action}>
            {actionName(action)}
          </option>
        ))}
      </NativeSelect>
      <TextFilter
        label={t("subject")}
        placeholder={t("subjectFilter")}
        value={filters.subject}
        onValue={(subject) => set({ subject: subject || null })}
        className="sm:w-68"
      />
      <TimeRangeFilter
        value={times}
        usual={list("allTimes")}
        onValue={({ range, start, end }) => set({ range, from: start, to: end })}
      />
    </FilterBar>
  );
}
