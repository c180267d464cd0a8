"use client";

import { useTranslations } from "next-intl";
import { FilterBar, TextFilter } from "@/components/data-table/filter-bar";
import { TimeRangeFilter } from "@/components/data-table/time-range-filter";
import { useFilters } from "@/components/data-table/use-filters";
import { NativeSelect } from "@/components/ui/native-select";
import { ORDER_PROVIDERS, ORDER_STATES, orderFilterParams } from "./topup-search";

/** Status and provider; with `everybody` also buyer or order number. */
export function OrderFilters({ everybody }: { everybody: boolean }) {
  const t = useTranslations("topup");
  const list = useTranslations("list");
  const common = useTranslations("common");
  const { filters, active, setFilters, clear } = useFilters(orderFilterParams);
  const states = { pending: t("statePending"), success: t("stateSuccess"), expired: t("stateExpired") };
  const providers = { epay: t("providerEpay"), stripe: t("providerStripe") };
  return (
    <FilterBar active={active} onClear={clear}>
      {everybody ? (
        <TextFilter
          search
          label={t("orderSearch")}
          value={filters.keyword}
          onValue={(keyword) => setFilters({ keyword })}
          className="sm:w-64"
        />
      ) : null}
      <NativeSelect
        aria-label={t("state")}
        value={filters.status ?? ""}
        onChange={(event) => setFilters({ status: ORDER_STATES.find((state) => state === event.target.value) ?? null })}
        className="w-full sm:w-36"
      >
        <option value="">{common("filterAll", { name: t("state") })}</option>
        {ORDER_STATES.map((state) => (
          <option key={state} value={state}>
            {states[state]}
          </option>
        ))}
      </NativeSelect>
      <NativeSelect
        aria-label={t("provider")}
        value={filters.provider ?? ""}
        onChange={(event) =>
          setFilters({ provider: ORDER_PROVIDERS.find((provider) => provider === event.target.value) ?? null })
        }
        className="w-full sm:w-36"
      >
        <option value="">{common("filterAll", { name: t("provider") })}</option>
        {ORDER_PROVIDERS.map((provider) => (
          <option key={provider} value={provider}>
            {providers[provider]}
          </option>
        ))}
      </NativeSelect>
      <TimeRangeFilter value={filters} usual={list("allTimes")} onValue={setFilters} />
    </FilterBar>
  );
}
