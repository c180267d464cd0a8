"use client";

import { useTranslations } from "next-intl";
import { parseAsInteger, parseAsString, useQueryStates } from "nuqs";
import { FilterBar, TextFilter } from "@/components/data-table/filter-bar";
import { useListTransition } from "@/components/data-table/list-transition";
import { Select } from "@/components/ui/select";

const parsers = {
  keyword: parseAsString.withDefault(""),
  key: parseAsString.withDefault(""),
  status: parseAsInteger,
  page: parseAsInteger,
};

export function TokenFilters() {
  const t = useTranslations("token");
  const common = useTranslations("common");
  const { startTransition } = useListTransition();
  const [filters, setFilters] = useQueryStates(parsers, { shallow: false, startTransition });
  const active = filters.keyword !== "" || filters.key !== "" || filters.status !== null;
  return (
    <FilterBar active={active} onClear={() => setFilters(null)}>
      <TextFilter
        search
        label={t("keywordPlaceholder")}
        value={filters.keyword}
        onValue={(keyword) => setFilters({ keyword: keyword || null, page: null })}
        className="sm:w-56"
      />
      <TextFilter
        label={t("keyPlaceholder")}
        value={filters.key}
        onValue={(key) => setFilters({ key: key || null, page: null })}
        className="sm:w-56"
      />
      <Select
        aria-label={t("status")}
        value={filters.status ?? ""}
        onChange={(event) => setFilters({ status: event.target.value ? Number(event.target.value) : null, page: null })}
        className="w-full sm:w-36"
      >
        <option value="">{`${t("status")}: ${common("all")}`}</option>
        <option value="1">{t("status1")}</option>
        <option value="2">{t("status2")}</option>
        <option value="3">{t("status3")}</option>
        <option value="4">{t("status4")}</option>
      </Select>
    </FilterBar>
  );
}
