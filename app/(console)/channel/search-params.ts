import { cookies } from "next/headers";
import { createLoader, parseAsBoolean, parseAsStringLiteral, type SearchParams } from "nuqs/server";
import { channelFilterParams, channelViewParams, ID_SORT_KEY } from "@/components/channel/channel-search";
import { pagingParams, panelParams, peekIdParams } from "@/components/data-table/list-params";
import { type ChannelFilter, LIST_SORTS } from "@/lib/channel/schemas";
import { createListLoader } from "../list-loader";

const load = createListLoader({
  ...pagingParams,
  ...channelFilterParams,
  ...channelViewParams,
  sort: parseAsStringLiteral(LIST_SORTS),
  descending: parseAsBoolean.withDefault(true),
  ...panelParams,
  ...peekIdParams,
});

/** Only the filters; for the export. */
export const loadChannelFilters = createLoader(channelFilterParams);

export function toChannelFilter(filters: Awaited<ReturnType<typeof loadChannelFilters>>): ChannelFilter {
  const { keyword, model, group, status, type, tag } = filters;
  return { keyword, model, groups: group ?? [], statuses: status ?? [], types: type ?? [], tags: tag ?? [] };
}

/** The URL parameters of the channel list. Without a sort column in the URL, the user's stored order applies. */
export async function loadChannelSearch(searchParams: Promise<SearchParams>) {
  const [search, jar] = await Promise.all([load(searchParams), cookies()]);
  const { keyword, model, group, status, type, tag, page, pageSize, descending, tags, open, ...panels } = search;
  const { sort, ...shown } = panels;
  const isIdSort = jar.get(ID_SORT_KEY)?.value === "true";
  const filter = toChannelFilter({ keyword, model, group, status, type, tag });
  return {
    filter,
    search: { ...filter, page, pageSize, descending, sort: sort ?? (isIdSort ? "id" : "priority") },
    isFiltered:
      keyword !== "" || model !== "" || [group, status, type, tag].some((values) => (values?.length ?? 0) > 0),
    isIdSort,
    isTagMode: tags,
    open: open ?? [],
    ...shown,
  };
}
