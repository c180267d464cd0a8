"use client";

import { useTranslations } from "next-intl";
import { FilterBar, TextFilter } from "@/components/data-table/filter-bar";
import { useFilters } from "@/components/data-table/use-filters";
import { Select } from "@/components/ui/select";
import { logFilterParams } from "./log-search";
import { TimeFilter } from "./time-filter";

/** Filters of the usage log; those on channels and users are for administrators. */
export function LogFilters({ isAdmin }: { isAdmin: boolean }) {
  const t = useTranslations("log");
  const { filters, active, setFilters, clear } = useFilters(logFilterParams);
  const texts = [
    { id: "token", label: t("tokenName"), placeholder: t("tokenName"), width: "sm:w-32", shown: true },
    { id: "model", label: t("modelName"), placeholder: t("modelPattern"), width: "sm:w-50", shown: true },
    { id: "group", label: t("group"), placeholder: t("group"), width: "sm:w-24", shown: true },
    { id: "username", label: t("username"), placeholder: t("username"), width: "sm:w-28", shown: isAdmin },
    { id: "request", label: t("requestId"), placeholder: t("requestId"), width: "sm:w-32", shown: true },
  ] as const;
  return (
    <FilterBar active={active} onClear={clear}>
      <Select
        aria-label={t("type")}
        value={filters.type}
        onChange={(event) => setFilters({ type: Number(event.target.value) })}
        className="w-full sm:w-36"
      >
        <option value={0}>{`${t("type")}: ${t("type0")}`}</option>
        <option value={1}>{t("type1")}</option>
        <option value={2}>{t("type2")}</option>
        <option value={3}>{t("type3")}</option>
        <option value={4}>{t("type4")}</option>
        <option value={5}>{t("type5")}</option>
      </Select>
      <TimeFilter label={t("start")} value={filters.start} onValue={(start) => setFilters({ start })} />
      <TimeFilter label={t("end")} value={filters.end} onValue={(end) => setFilters({ end })} />
      {texts
        .filter((field) => field.shown)
        .map((field) => (
          <TextFilter
            key={field.id}
            label={field.label}
            placeholder={field.placeholder}
            value={filters[field.id]}
            onValue={(value) => setFilters({ [field.id]: value })}
            className={`w-[calc(50%-0.25rem)] ${field.width}`}
          />
        ))}
      {isAdmin ? (
        <TextFilter
          label={t("channelId")}
          inputMode="numeric"
          value={filters.channel === null ? "" : String(filters.channel)}
          onValue={(value) => setFilters({ channel: /^\d{1,9}$/.test(value) ? Number(value) : null })}
          className="w-[calc(50%-0.25rem)] sm:w-28"
        />
      ) : null}
    </FilterBar>
  );
}
