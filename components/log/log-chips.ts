"use client";

import { useTranslations } from "next-intl";
import type { Nullable, Values } from "nuqs";
import { chipOf, type FilterChip } from "@/components/data-table/filter-chips";
import { toPickedTimes, useTimeText } from "@/components/data-table/time-text";
import { LOG_FILTERS, type LogColumnFilter } from "@/lib/usage-log/columns";
import type { logFilterParams } from "./log-search";

type LogFilterValues = Values<typeof logFilterParams>;

/** The active filters of the log. Those that a user has no right to have no effect and no chip. */
export function useLogChips(
  filters: LogFilterValues,
  setFilters: (change: Partial<Nullable<LogFilterValues>>) => void,
  isAdmin: boolean,
): FilterChip[] {
  const t = useTranslations("log");
  const list = useTranslations("list");
  const timeText = useTimeText();
  const typeNames: Record<number, string> = {
    1: t("type1"),
    2: t("type2"),
    3: t("type3"),
    4: t("type4"),
    5: t("type5"),
  };
  const textOf = ({ input, address }: LogColumnFilter): string => {
    const value = filters[address as keyof LogFilterValues];
    if (input === "flag") return value === true ? t(address === "loss" ? "atLoss" : "unbilled") : "";
    if (input === "type") return value === 0 ? "" : (typeNames[Number(value)] ?? t("typeUnknown"));
    return value === null ? "" : String(value);
  };
  return [
    ...chipOf(list("time"), timeText(filters), () => setFilters(toPickedTimes(null))),
    ...LOG_FILTERS.filter(({ isForAdmins }: LogColumnFilter) => isAdmin || !isForAdmins).flatMap((filter) => {
      const { field, address } = filter;
      const name = field === "cost" || field === "unbilledCost" ? t("costs") : t(field);
      return chipOf(name, textOf(filter), () => setFilters({ [address]: null }));
    }),
  ];
}
