"use client";

import { useTranslations } from "next-intl";
import { ExportMenu } from "@/components/data-table/export-menu";
import { FilterBar } from "@/components/data-table/filter-bar";
import { TimeFilter } from "@/components/data-table/time-filter";
import { useFilters } from "@/components/data-table/use-filters";
import { NativeSelect } from "@/components/ui/native-select";
import { MOVEMENT_KINDS } from "./ledger-kind";
import { ledgerFilterParams } from "./topup-search";

/** The filters as query parameters of the export. */
function queryOf(filters: { kind: string | null; start: number | null; end: number | null }): string {
  const set = Object.entries(filters).filter(([, value]) => value !== null);
  return new URLSearchParams(set.map(([key, value]) => [key, String(value)])).toString();
}

export function LedgerFilters() {
  const t = useTranslations("topup");
  const common = useTranslations("common");
  const { filters, active, setFilters, clear } = useFilters(ledgerFilterParams);
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
      <TimeFilter label={t("from")} value={filters.start} onValue={(start) => setFilters({ start })} />
      <TimeFilter label={t("until")} value={filters.end} onValue={(end) => setFilters({ end })} />
      <ExportMenu path="/topup/export" query={queryOf(filters)} />
    </FilterBar>
  );
}
