"use client";

import { useTranslations } from "next-intl";
import type { ReactNode } from "react";
import { FilterBar, TextFilter } from "@/components/data-table/filter-bar";
import { chipOf } from "@/components/data-table/filter-chips";
import { SuggestFilter } from "@/components/data-table/suggest-filter";
import { TimeRangeFilter } from "@/components/data-table/time-range-filter";
import { toPickedTimes, useTimeText } from "@/components/data-table/time-text";
import { useFilters } from "@/components/data-table/use-filters";
import { NativeSelect } from "@/components/ui/native-select";
import { jobFilterParams } from "./task-search";

type Choice = { value: string; text: string };

export type JobFiltersProps = { isAdmin: boolean; views: ReactNode };

type JobFilterBarProps = JobFiltersProps & {
  /** Labels differ between drawings and tasks. */
  words: Record<"id" | "type" | "allTypes" | "status" | "allStatuses" | "channel", string>;
  /** The period of the list while none is chosen. */
  usualTime: string;
  actions: Choice[];
  statuses: Choice[];
  children?: ReactNode;
};

/** Filters for upstream jobs (drawings and tasks); the channel filter is for administrators. */
export function JobFilterBar({ isAdmin, views, words, usualTime, actions, statuses, children }: JobFilterBarProps) {
  const { filters, active, setFilters, clear } = useFilters(jobFilterParams);
  const list = useTranslations("list");
  const timeText = useTimeText();
  const textOf = (choices: Choice[], value: string) => choices.find((choice) => choice.value === value)?.text ?? value;
  const channel = filters.channel === null ? "" : String(filters.channel);
  const chips = [
    ...chipOf(words.id, filters.id, () => setFilters({ id: null })),
    ...chipOf(list("time"), timeText(filters), () => setFilters(toPickedTimes(null))),
    ...chipOf(words.type, textOf(actions, filters.action), () => setFilters({ action: null })),
    ...chipOf(words.status, textOf(statuses, filters.status), () => setFilters({ status: null })),
    ...chipOf(words.channel, isAdmin ? channel : "", () => setFilters({ channel: null })),
  ];
  return (
    <FilterBar active={active} onClear={clear} chips={chips} actions={views}>
      <TextFilter search label={words.id} value={filters.id} onValue={(id) => setFilters({ id })} className="sm:w-48" />
      <TimeRangeFilter value={filters} usual={usualTime} onValue={setFilters} />
      <Choices
        label={words.type}
        all={words.allTypes}
        choices={actions}
        value={filters.action}
        onValue={(action) => setFilters({ action })}
      />
      <Choices
        label={words.status}
        all={words.allStatuses}
        choices={statuses}
        value={filters.status}
        onValue={(status) => setFilters({ status })}
      />
      {isAdmin ? (
        <SuggestFilter
          of="channel"
          label={words.channel}
          inputMode="numeric"
          accepts={(text) => /^\d{1,9}$/.test(text)}
          value={channel}
          onValue={(value) => setFilters({ channel: value === "" ? null : Number(value) })}
          className="sm:w-28"
        />
      ) : null}
      {children}
    </FilterBar>
  );
}

type ChoicesProps = { label: string; all: string; choices: Choice[]; value: string; onValue: (value: string) => void };

function Choices({ label, all, choices, value, onValue }: ChoicesProps) {
  return (
    <NativeSelect
      aria-label={label}
      value={value}
      onChange={({ target }) => onValue(target.value)}
      className="w-[calc(50%-0.25rem)] sm:w-36"
    >
      <option value="">{all}</option>
      {choices.map((choice) => (
        <option key={choice.value} value={choice.value}>
          {choice.text}
        </option>
      ))}
    </NativeSelect>
  );
}
