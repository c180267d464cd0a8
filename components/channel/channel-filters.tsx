"use client";

import { useTranslations } from "next-intl";
import type { ReactNode } from "react";
import type { ColumnChoice } from "@/components/data-table/column-choice";
import { FilterBar, TextFilter } from "@/components/data-table/filter-bar";
import { chipOf, type FilterChip } from "@/components/data-table/filter-chips";
import { SuggestFilter } from "@/components/data-table/suggest-filter";
import { useFilters } from "@/components/data-table/use-filters";
import type { ChannelFacets } from "@/lib/channel/facet-queries";
import { channelFilterParams } from "./channel-search";
import { useStatusName } from "./channel-status";
import { ChannelTools } from "./channel-tools";
import { useChannelTypeName } from "./channel-types";
import { FacetMenu } from "./facet-menu";

const listed = <Value,>(values: readonly Value[] | null, nameOf: (value: Value) => string): string =>
  (values ?? []).map(nameOf).join(", ");
const orNull = <Value,>(values: Value[]): Value[] | null => (values.length === 0 ? null : values);

type ChannelFiltersProps = { facets: Promise<ChannelFacets>; choice: ColumnChoice; views: ReactNode };

/** Text filters, and facets with the number of channels per value. */
export function ChannelFilters({ facets, choice, views }: ChannelFiltersProps) {
  const t = useTranslations("channel");
  const typeName = useChannelTypeName();
  const statusName = useStatusName();
  const { filters, active, setFilters, clear } = useFilters(channelFilterParams);
  const chips = useChannelChips(filters, setFilters);
  return (
    <FilterBar
      active={active}
      onClear={clear}
      chips={chips}
      actions={
        <>
          {views}
          <ChannelTools choice={choice} />
        </>
      }
    >
      <TextFilter
        search
        label={t("keyword")}
        placeholder={t("keywordPlaceholder")}
        value={filters.keyword}
        onValue={(keyword) => setFilters({ keyword })}
        className="sm:w-68"
      />
      <SuggestFilter
        of="model"
        label={t("modelPlaceholder")}
        value={filters.model}
        onValue={(model) => setFilters({ model })}
        className="sm:w-40"
      />
      <FacetMenu
        label={t("type")}
        chosen={filters.type ?? []}
        facets={facets}
        pick={({ types }) => types}
        nameOf={typeName}
        onChosen={(type) => setFilters({ type: orNull(type) })}
      />
      <FacetMenu
        label={t("status")}
        chosen={filters.status ?? []}
        facets={facets}
        pick={({ statuses }) => statuses}
        nameOf={statusName}
        onChosen={(status) => setFilters({ status: orNull(status) })}
      />
      <FacetMenu
        label={t("group")}
        chosen={filters.group ?? []}
        facets={facets}
        pick={({ groups }) => groups}
        nameOf={(group) => group}
        onChosen={(group) => setFilters({ group: orNull(group) })}
      />
      <FacetMenu
        label={t("tag")}
        chosen={filters.tag ?? []}
        facets={facets}
        pick={({ tags }) => tags}
        nameOf={(tag) => tag || t("untagged")}
        onChosen={(tag) => setFilters({ tag: orNull(tag) })}
      />
    </FilterBar>
  );
}

type Filters = ReturnType<typeof useFilters<typeof channelFilterParams>>;

function useChannelChips(filters: Filters["filters"], setFilters: Filters["setFilters"]): FilterChip[] {
  const t = useTranslations("channel");
  const typeName = useChannelTypeName();
  const statusName = useStatusName();
  return [
    ...chipOf(t("keyword"), filters.keyword, () => setFilters({ keyword: null })),
    ...chipOf(t("modelPlaceholder"), filters.model, () => setFilters({ model: null })),
    ...chipOf(t("type"), listed(filters.type, typeName), () => setFilters({ type: null })),
    ...chipOf(t("status"), listed(filters.status, statusName), () => setFilters({ status: null })),
    ...chipOf(t("group"), listed(filters.group, String), () => setFilters({ group: null })),
    ...chipOf(
      t("tag"),
      listed(filters.tag, (tag) => tag || t("untagged")),
      () => setFilters({ tag: null }),
    ),
  ];
}
