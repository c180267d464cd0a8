"use client";

import { useTranslations } from "next-intl";
import { FilterBar, TextFilter } from "@/components/data-table/filter-bar";
import { useFilters } from "@/components/data-table/use-filters";
import { NativeSelect } from "@/components/ui/native-select";
import { tokenFilterParams } from "./token-search";

export function TokenFilters() {
  const t = useTranslations("token");
  const common = useTranslations("common");
  const { filters, active, setFilters, clear } = useFilters(tokenFilterParams);
  return (
    <FilterBar active={active} onClear={clear}>
      <TextFilter
        search
        label={t("keywordPlaceholder")}
        value={filters.keyword}
        onValue={(keyword) => setFilters({ keyword })}
        className="sm:w-56"
      />
      <TextFilter
        label={t("keyPlaceholder")}
        value={filters.key}
        onValue={(key) => setFilters({ key })}
        className="sm:w-56"
      />
      <NativeSelect
        aria-label={t("status")}
        value={filters.status ?? ""}
        onChange={(event) => setFilters({ status: event.target.value ? Number(event.target.value) : null })}
        className="w-full sm:w-36"
      >
        <option value="">{common("filterAll", { name: t("status") })}</option>
        <option value="1">{t("statusName.status1")}</option>
        <option value="2">{t("statusName.status2")}</option>
        <option value="3">{t("statusName.status3")}</option>
        <option value="4">{t("statusName.status4")}</option>
      </NativeSelect>
    </FilterBar>
  );
}
