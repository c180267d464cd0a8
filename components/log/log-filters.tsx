"use client";

import { useTranslations } from "next-intl";
import type { ReactNode } from "react";
import { FilterBar, TextFilter } from "@/components/data-table/filter-bar";
import { SuggestFilter } from "@/components/data-table/suggest-filter";
import { TimeRangeFilter } from "@/components/data-table/time-range-filter";
import { useFilters } from "@/components/data-table/use-filters";
import { NativeSelect } from "@/components/ui/native-select";
import { LOG_TYPE } from "@/lib/row-status";
import type { Suggested } from "@/lib/suggestion/schemas";
import { TIME_RANGES, type TimeRange } from "@/lib/time-range";
import {
  type FilterField,
  type FilterPart,
  LOG_COLUMNS,
  LOG_FILTERS,
  type LogColumnFilter,
} from "@/lib/usage-log/columns";
import { useLogChips } from "./log-chips";
import { logFilterParams } from "./log-search";

/** Users see three days of their log, so longer periods would promise too much. */
const OWN_RANGES: readonly TimeRange[] = ["15m", "24h"];
const TYPES = Object.values(LOG_TYPE);

type TextField = {
  [Field in FilterField]: FilterPart<Field, "input"> extends "text" | "pattern" ? Field : never;
}[FilterField];

const HALF = "w-[calc(50%-0.25rem)]";
const isId = (text: string): boolean => /^\d{1,9}$/.test(text);
/** Causes are chosen in the list of failures, so they have a chip and no field. */
const isText = ({ input, address }: LogColumnFilter): boolean =>
  (input === "text" && address !== LOG_COLUMNS.errorCause.filter.address) || input === "pattern";
/** Widths of text filters that differ from the default. These filters come first, in this order. */
const WIDTHS: Partial<Record<TextField, string>> = {
  tokenName: "sm:w-32",
  modelName: "sm:w-50",
  group: "sm:w-24",
  username: "sm:w-28",
};
const TEXT_FIELDS = new Set([...Object.keys(WIDTHS), ...LOG_FILTERS.filter(isText).map(({ field }) => field)]);
const TEXT_FILTERS = ([...TEXT_FIELDS] as TextField[]).map((field) => {
  const { input, isForAdmins }: LogColumnFilter = LOG_COLUMNS[field].filter;
  return { field, input, isForAdmins: isForAdmins === true, address: LOG_COLUMNS[field].filter.address };
});

type LogFiltersProps = {
  /** The log tools, shown at the end of the bar. */
  actions: ReactNode;
  isAdmin: boolean;
};

/** The usage log filters; channel and user filters are for administrators (B097, B208). */
export function LogFilters({ isAdmin, actions }: LogFiltersProps) {
  const t = useTranslations("log");
  const common = useTranslations("common");
  const list = useTranslations("list");
  const { filters, active, setFilters, clear } = useFilters(logFilterParams);
  const chips = useLogChips(filters, setFilters, isAdmin);
  const texts = TEXT_FILTERS.filter(({ isForAdmins }) => isAdmin || !isForAdmins);
  const usualTime = isAdmin ? list("last30Days") : list("last3Days");
  return (
    <FilterBar active={active} onClear={clear} chips={chips} actions={actions}>
      <NativeSelect
        aria-label={t("type")}
        value={filters.type}
        onChange={(event) => setFilters({ type: Number(event.target.value) })}
        className="w-full sm:w-36"
      >
        <option value={0}>{common("filterAll", { name: t("type") })}</option>
        {TYPES.map((type) => (
          <option key={type} value={type}>
            {t(`type${type}`)}
          </option>
        ))}
      </NativeSelect>
      <TimeRangeFilter
        value={filters}
        usual={filters.request === "" ? usualTime : list("allTimes")}
        ranges={isAdmin ? TIME_RANGES : OWN_RANGES}
        onValue={setFilters}
      />
      {texts.map(({ field, address, input }) => (
        <TextField
          key={field}
          field={field}
          placeholder={t(input === "pattern" ? "modelPattern" : field)}
          value={filters[address]}
          onValue={(value) => setFilters({ [address]: value })}
        />
      ))}
      <TextFilter
        label={t("statusCode")}
        inputMode="numeric"
        value={filters.status === null ? "" : String(filters.status)}
        onValue={(value) => setFilters({ status: /^[1-9]\d{2}$/.test(value) ? Number(value) : null })}
        className={`${HALF} sm:w-28`}
      />
      {isAdmin ? (
        <SuggestFilter
          of="channel"
          label={t("channelId")}
          inputMode="numeric"
          accepts={isId}
          value={filters.channel === null ? "" : String(filters.channel)}
          onValue={(value) => setFilters({ channel: value === "" ? null : Number(value) })}
          className={`${HALF} sm:w-28`}
        />
      ) : null}
      {isAdmin ? (
        <NativeSelect
          aria-label={t("costs")}
          value={filters.unbilled ? "unbilled" : filters.loss ? "loss" : ""}
          onChange={({ target }) =>
            setFilters({ loss: target.value === "loss" || null, unbilled: target.value === "unbilled" || null })
          }
          className="w-[calc(50%-0.25rem)] sm:w-40"
        >
          <option value="">{common("filterAll", { name: t("costs") })}</option>
          <option value="loss">{t("atLoss")}</option>
          <option value="unbilled">{t("unbilled")}</option>
        </NativeSelect>
      ) : null}
    </FilterBar>
  );
}

/** What the filter of a field suggests; the others are ids, of which nobody types a part. */
const SUGGESTED: Partial<Record<TextField, Suggested>> = {
  tokenName: "token",
  modelName: "model",
  group: "group",
  username: "user",
};

type TextFieldProps = { field: TextField; placeholder: string; value: string; onValue: (value: string) => void };

function TextField({ field, ...props }: TextFieldProps) {
  const t = useTranslations("log");
  const of = SUGGESTED[field];
  const shared = { ...props, label: t(field), className: `${HALF} ${WIDTHS[field] ?? "sm:w-32"}` };
  return of ? <SuggestFilter {...shared} of={of} /> : <TextFilter {...shared} />;
}
