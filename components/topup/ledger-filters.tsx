"use client";

import { useSearchParams } from "next/navigation";
import { useTranslations } from "next-intl";
import { ExportMenu } from "@/components/data-table/export-menu";
import { FilterBar } from "@/components/data-table/filter-bar";
import { filterQuery } from "@/components/data-table/list-params";
import { TimeRangeFilter } from "@/components/data-table/time-range-filter";
import { useFilters } from "@/components/data-table/use-filters";
import { NativeSelect } from "@/components/ui/native-select";
import { MOVEMENT_KINDS } from "./ledger-kind";
import { ledgerFilterParams } from "./topup-search";

export function LedgerFilters() {
  const t = useTranslations("topup");
  const list = useTranslations("list");
  const common = useTranslations("common");
  const { filters, active, setFilters, clear } = useFilters(ledgerFilterParams);
  const query = filterQuery(useSearchParams(), ledgerFilterParams);
  return (
    <FilterBar active={active} onClear={clear}>
      <NativeSelect
        aria-label={t("kind")}
        value={filters.kind ?? ""}
        onChange={(event) => setFilters({ kind: event.target.value || null })}
        className="w-full sm:w-44"
      >
        <option value="">{common("filterAll", { name: t("kind") })}</option>
        {MOVEMENT_KINDS.map((kind) => (
          <option key={kind} value={kind}>
            {t(`kinds.${kind}`)}
          </option>
        ))}
      </NativeSelect>
      <TimeRangeFilter value={filters} usual={list("allTimes")} onValue={setFilters} />
      <ExportMenu path="/topup/export" query={query} />
    </FilterBar>
  );
}
