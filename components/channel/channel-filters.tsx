"use client";

import { useTranslations } from "next-intl";
import { parseAsInteger, parseAsString, useQueryStates } from "nuqs";
import { FilterBar, TextFilter } from "@/components/data-table/filter-bar";
import { useListTransition } from "@/components/data-table/list-transition";
import { Select } from "@/components/ui/select";
import { useChannelTypeName } from "./channel-type";
import { CHANNEL_TYPE_ORDER } from "./channel-types";

const parsers = {
  keyword: parseAsString.withDefault(""),
  model: parseAsString.withDefault(""),
  group: parseAsString.withDefault(""),
  status: parseAsInteger,
  type: parseAsInteger,
  page: parseAsInteger,
};

const toNumber = (text: string) => (text === "" ? null : Number(text));

export function ChannelFilters({ groups }: { groups: string[] }) {
  const t = useTranslations("channel");
  const typeName = useChannelTypeName();
  const { startTransition } = useListTransition();
  const [filters, setFilters] = useQueryStates(parsers, { shallow: false, startTransition });
  const { page: _, ...conditions } = filters;
  const active = Object.values(conditions).some((value) => value !== "" && value !== null);
  return (
    <FilterBar active={active} onClear={() => setFilters(null)}>
      <TextFilter
        search
        label={t("keyword")}
        placeholder={t("keywordPlaceholder")}
        value={filters.keyword}
        onValue={(keyword) => setFilters({ keyword: keyword || null, page: null })}
        className="sm:w-52"
      />
      <TextFilter
        label={t("modelPlaceholder")}
        value={filters.model}
        onValue={(model) => setFilters({ model: model || null, page: null })}
        className="sm:w-40"
      />
      <Select
        aria-label={t("group")}
        value={filters.group}
        onChange={(event) => setFilters({ group: event.target.value || null, page: null })}
        className="w-[calc(50%-0.25rem)] sm:w-32"
      >
        <option value="">{t("allGroups")}</option>
        {groups.map((group) => (
          <option key={group} value={group}>
            {group}
          </option>
        ))}
      </Select>
      <Select
        aria-label={t("status")}
        value={filters.status ?? ""}
        onChange={(event) => setFilters({ status: toNumber(event.target.value), page: null })}
        className="w-[calc(50%-0.25rem)] sm:w-34"
      >
        <option value="">{t("allStatus")}</option>
        <option value="1">{t("statusEnabled")}</option>
        <option value="2">{t("statusDisabled")}</option>
        <option value="3">{t("statusAuto")}</option>
      </Select>
      <Select
        aria-label={t("type")}
        value={filters.type ?? ""}
        onChange={(event) => setFilters({ type: toNumber(event.target.value), page: null })}
        className="w-[calc(50%-0.25rem)] sm:w-36"
      >
        <option value="">{t("allTypes")}</option>
        {CHANNEL_TYPE_ORDER.map((type) => (
          <option key={type} value={type}>
            {typeName(type)}
          </option>
        ))}
      </Select>
    </FilterBar>
  );
}
