"use client";

import { useTranslations } from "next-intl";
import { FilterBar, TextFilter } from "@/components/data-table/filter-bar";
import { useFilters } from "@/components/data-table/use-filters";
import { NativeSelect } from "@/components/ui/native-select";
import { CALLBACK_OUTCOMES, callbackFilterParams } from "./topup-search";

export function CallbackFilters() {
  const t = useTranslations("topup");
  const common = useTranslations("common");
  const { filters, active, setFilters, clear } = useFilters(callbackFilterParams);
  return (
    <FilterBar active={active} onClear={clear}>
      <TextFilter
        search
        label={t("order")}
        value={filters.keyword}
        onValue={(keyword) => setFilters({ keyword })}
        className="sm:w-64"
      />
      <NativeSelect
        aria-label={t("outcome")}
        value={filters.outcome ?? ""}
        onChange={(event) =>
          setFilters({ outcome: CALLBACK_OUTCOMES.find((outcome) => outcome === event.target.value) ?? null })
        }
        className="w-full sm:w-40"
      >
        <option value="">{common("filterAll", { name: t("outcome") })}</option>
        {CALLBACK_OUTCOMES.map((outcome) => (
          <option key={outcome} value={outcome}>
            {t(`outcomes.${outcome}`)}
          </option>
        ))}
      </NativeSelect>
    </FilterBar>
  );
}
