"use client";

import { useSearchParams } from "next/navigation";
import { useTranslations } from "next-intl";
import { parseAsBoolean, parseAsString, useQueryStates } from "nuqs";
import type { ReactNode } from "react";
import { ExportMenu } from "@/components/data-table/export-menu";
import { FilterBar, TextFilter } from "@/components/data-table/filter-bar";
import { chipOf } from "@/components/data-table/filter-chips";
import { filterQuery, pagingParams } from "@/components/data-table/list-params";
import { useListTransition } from "@/components/data-table/list-transition";
import { useFilters } from "@/components/data-table/use-filters";
import { useRoleName } from "@/components/shell/role-name";
import { NativeSelect } from "@/components/ui/native-select";
import { USER_STATES, userFilterParams } from "./user-search";

const ROLES = [1, 10, 100];
const sortParams = { sort: parseAsString, descending: parseAsBoolean, page: pagingParams.page };

export function UserFilters({ groups, views }: { groups: string[]; views: ReactNode }) {
  const t = useTranslations("user");
  const roleName = useRoleName();
  const { filters, active, setFilters, clear } = useFilters(userFilterParams);
  const query = filterQuery(useSearchParams(), userFilterParams);
  const stateNames = { enabled: t("status1"), disabled: t("status2"), deleted: t("statusDeleted") };
  const chips = [
    ...chipOf(t("keyword"), filters.keyword, () => setFilters({ keyword: null })),
    ...chipOf(t("group"), filters.group, () => setFilters({ group: null })),
    ...chipOf(t("role"), filters.role === null ? "" : roleName(filters.role), () => setFilters({ role: null })),
    ...chipOf(t("status"), filters.status === null ? "" : stateNames[filters.status], () =>
      setFilters({ status: null }),
    ),
  ];
  return (
    <FilterBar
      active={active}
      onClear={clear}
      chips={chips}
      actions={
        <>
          {views}
          <ExportMenu path="/user/export" query={query} />
        </>
      }
    >
      <TextFilter
        search
        label={t("keyword")}
        placeholder={t("keywordPlaceholder")}
        value={filters.keyword}
        onValue={(keyword) => setFilters({ keyword })}
        className="sm:w-75"
      />
      <NativeSelect
        aria-label={t("group")}
        value={filters.group}
        onChange={(event) => setFilters({ group: event.target.value })}
        className="w-[calc(50%-0.25rem)] sm:w-34"
      >
        <option value="">{t("allGroups")}</option>
        {groups.map((group) => (
          <option key={group} value={group}>
            {group}
          </option>
        ))}
      </NativeSelect>
      <NativeSelect
        aria-label={t("role")}
        value={filters.role ?? ""}
        onChange={(event) => setFilters({ role: event.target.value === "" ? null : Number(event.target.value) })}
        className="w-[calc(50%-0.25rem)] sm:w-34"
      >
        <option value="">{t("allRoles")}</option>
        {ROLES.map((role) => (
          <option key={role} value={role}>
            {roleName(role)}
          </option>
        ))}
      </NativeSelect>
      <NativeSelect
        aria-label={t("status")}
        value={filters.status ?? ""}
        onChange={(event) => setFilters({ status: USER_STATES.find((state) => state === event.target.value) ?? null })}
        className="w-[calc(50%-0.25rem)] sm:w-34"
      >
        <option value="">{t("allStatus")}</option>
        {USER_STATES.map((state) => (
          <option key={state} value={state}>
            {stateNames[state]}
          </option>
        ))}
      </NativeSelect>
      <SortSelect />
    </FilterBar>
  );
}

/** Sort orders without a column header of their own, because several figures share one column. */
function SortSelect() {
  const t = useTranslations("user");
  const common = useTranslations("common");
  const { startTransition } = useListTransition();
  const [{ sort }, setSort] = useQueryStates(sortParams, { shallow: false, history: "push", startTransition });
  const orders = [
    { id: "quota", name: t("remaining") },
    { id: "usedQuota", name: t("used") },
    { id: "requestCount", name: t("requests") },
    { id: "affCount", name: t("invited") },
    { id: "affHistoryQuota", name: t("earned") },
  ];
  const onSort = (next: string) => setSort({ sort: next || null, descending: null, page: null });
  return (
    <NativeSelect
      aria-label={t("sortBy")}
      value={orders.some((order) => order.id === sort) ? (sort ?? "") : ""}
      onChange={(event) => onSort(event.target.value)}
      className="w-[calc(50%-0.25rem)] sm:w-42"
    >
      <option value="">{common("named", { name: t("sortBy"), value: t("sortOwn") })}</option>
      {orders.map((order) => (
        <option key={order.id} value={order.id}>
          {order.name}
        </option>
      ))}
    </NativeSelect>
  );
}
