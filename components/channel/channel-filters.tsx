"use client";

import { useTranslations } from "next-intl";
import { FilterBar, TextFilter } from "@/components/data-table/filter-bar";
import { useFilters } from "@/components/data-table/use-filters";
import { Select } from "@/components/ui/select";
import { channelFilterParams } from "./channel-search";
import { useChannelTypeName } from "./channel-type";
import { CHANNEL_TYPE_ORDER } from "./channel-types";

const toNumber = (text: string) => (text === "" ? null : Number(text));

export function ChannelFilters({ groups }: { groups: string[] }) {
  const t = useTranslations("channel");
  const typeName = useChannelTypeName();
  const { filters, active, setFilters, clear } = useFilters(channelFilterParams);
  return (
    <FilterBar active={active} onClear={clear}>
      <TextFilter
        search
        label={t("keyword")}
        placeholder={t("keywordPlaceholder")}
        value={filters.keyword}
        onValue={(keyword) => setFilters({ keyword })}
        className="sm:w-52"
      />
      <TextFilter
        label={t("modelPlaceholder")}
        value={filters.model}
        onValue={(model) => setFilters({ model })}
        className="sm:w-40"
      />
      <Select
        aria-label={t("group")}
        value={filters.group}
        onChange={(event) => setFilters({ group: event.target.value })}
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
        onChange={(event) => setFilters({ status: toNumber(event.target.value) })}
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
        onChange={(event) => setFilters({ type: toNumber(event.target.value) })}
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
