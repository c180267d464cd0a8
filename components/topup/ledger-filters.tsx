"use client";

import { useTranslations } from "next-intl";
import { FilterBar } from "@/components/data-table/filter-bar";
import { useFilters } from "@/components/data-table/use-filters";
import { Select } from "@/components/ui/select";
import { MOVEMENT_KINDS } from "./ledger-kind";
import { ledgerFilterParams } from "./topup-search";

export function LedgerFilters() {
  const t = useTranslations("topup");
  const common = useTranslations("common");
  const { filters, active, setFilters, clear } = useFilters(ledgerFilterParams);
  return (
    <FilterBar active={active} onClear={clear}>
      <Select
        aria-label={t("kind")}
        value={filters.kind ?? ""}
        onChange={(event) => setFilters({ kind: event.target.value || null })}
        className="w-full sm:w-44"
      >
        <option value="">{`${t("kind")}: ${common("all")}`}</option>
        {MOVEMENT_KINDS.map((kind) => (
          <option key={kind} value={kind}>
            {t(`kinds.${kind}`)}
          </option>
        ))}
      </Select>
    </FilterBar>
  );
}
