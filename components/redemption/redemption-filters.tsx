"use client";

import { useTranslations } from "next-intl";
import type { ReactNode } from "react";
import { FilterBar, TextFilter } from "@/components/data-table/filter-bar";
import { chipOf } from "@/components/data-table/filter-chips";
import { useFilters } from "@/components/data-table/use-filters";
import { NativeSelect } from "@/components/ui/native-select";
import { REDEMPTION_EXPIRED } from "@/lib/row-status";
import { redemptionFilterParams } from "./redemption-search";

export function RedemptionFilters({ views }: { views: ReactNode }) {
  const t = useTranslations("redemption");
  const common = useTranslations("common");
  const { filters, active, setFilters, clear } = useFilters(redemptionFilterParams);
  const statusNames: Partial<Record<number, string>> = {
    1: t("status1"),
    2: t("status2"),
    3: t("status3"),
    [REDEMPTION_EXPIRED]: t("statusExpired"),
  };
  const chips = [
    ...chipOf(t("name"), filters.keyword, () => setFilters({ keyword: null })),
    ...chipOf(t("status"), statusNames[filters.status ?? 0] ?? "", () => setFilters({ status: null })),
  ];
  return (
    <FilterBar active={active} onClear={clear} chips={chips} actions={views}>
      <TextFilter
        search
        label={t("search")}
        value={filters.keyword}
        onValue={(keyword) => setFilters({ keyword })}
        className="sm:w-64"
      />
      <NativeSelect
        aria-label={t("status")}
        value={filters.status ?? ""}
        onChange={(event) => setFilters({ status: event.target.value ? Number(event.target.value) : null })}
        className="w-full sm:w-36"
      >
        <option value="">{common("filterAll", { name: t("status") })}</option>
        {Object.entries(statusNames).map(([status, name]) => (
          <option key={status} value={status}>
            {name}
          </option>
        ))}
      </NativeSelect>
    </FilterBar>
  );
}
