"use client";

import { useTranslations } from "next-intl";
import { parseAsInteger, parseAsString, useQueryStates } from "nuqs";
import { FilterBar, TextFilter } from "@/components/data-table/filter-bar";
import { useListTransition } from "@/components/data-table/list-transition";
import { Select } from "@/components/ui/select";
import { TimeFilter } from "./time-filter";

const text = parseAsString.withDefault("");
const parsers = {
  start: parseAsInteger,
  end: parseAsInteger,
  token: text,
  model: text,
  group: text,
  channel: parseAsInteger,
  username: text,
  request: text,
  type: parseAsInteger,
  page: parseAsInteger,
};

/** Filters of the usage log; those on channels and users are for administrators. */
export function LogFilters({ isAdmin }: { isAdmin: boolean }) {
  const t = useTranslations("log");
  const { startTransition } = useListTransition();
  const [filters, setFilters] = useQueryStates(parsers, { shallow: false, startTransition });
  const { page: _, ...conditions } = filters;
  const active = Object.values(conditions).some((value) => value !== "" && value !== null);
  const set = (change: Partial<Record<keyof typeof parsers, string | number | null>>) =>
    setFilters({ ...change, page: null } as Parameters<typeof setFilters>[0]);
  const texts = [
    { id: "token", label: t("tokenName"), placeholder: t("tokenName"), width: "sm:w-32", shown: true },
    { id: "model", label: t("modelName"), placeholder: t("modelPattern"), width: "sm:w-50", shown: true },
    { id: "group", label: t("group"), placeholder: t("group"), width: "sm:w-24", shown: true },
    { id: "username", label: t("username"), placeholder: t("username"), width: "sm:w-28", shown: isAdmin },
    { id: "request", label: t("requestId"), placeholder: t("requestId"), width: "sm:w-32", shown: true },
  ] as const;
  return (
    <FilterBar active={active} onClear={() => setFilters(null)}>
      <Select
        aria-label={t("type")}
        value={filters.type ?? 0}
        onChange={(event) => set({ type: Number(event.target.value) || null })}
        className="w-full sm:w-36"
      >
        <option value={0}>{`${t("type")}: ${t("type0")}`}</option>
        <option value={1}>{t("type1")}</option>
        <option value={2}>{t("type2")}</option>
        <option value={3}>{t("type3")}</option>
        <option value={4}>{t("type4")}</option>
        <option value={5}>{t("type5")}</option>
      </Select>
      <TimeFilter label={t("start")} value={filters.start} onValue={(start) => set({ start })} />
      <TimeFilter label={t("end")} value={filters.end} onValue={(end) => set({ end })} />
      {texts
        .filter((field) => field.shown)
        .map((field) => (
          <TextFilter
            key={field.id}
            label={field.label}
            placeholder={field.placeholder}
            value={filters[field.id]}
            onValue={(value) => set({ [field.id]: value || null })}
            className={`w-[calc(50%-0.25rem)] ${field.width}`}
          />
        ))}
      {isAdmin ? (
        <TextFilter
          label={t("channelId")}
          inputMode="numeric"
          value={filters.channel === null ? "" : String(filters.channel)}
          onValue={(value) => set({ channel: /^\d{1,9}$/.test(value) ? Number(value) : null })}
          className="w-[calc(50%-0.25rem)] sm:w-28"
        />
      ) : null}
    </FilterBar>
  );
}
