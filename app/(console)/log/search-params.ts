import { createLoader } from "nuqs/server";
import { pagingParams } from "@/components/data-table/list-params";
import { logFilterParams } from "@/components/log/log-search";
import { LOG_FILTERS } from "@/lib/usage-log/columns";
import type { LogSearch } from "@/lib/usage-log/schemas";
import type { LogWindow } from "@/lib/usage-log/window";
import { createListLoader } from "../list-loader";

/** The URL contract of the usage log. */
export const loadLogSearch = createListLoader({ ...pagingParams, ...logFilterParams });

/** The filters alone, for what is not a page of rows: the live tail and the export. */
export const loadLogFilters = createLoader(logFilterParams);

type LogFilters = Awaited<ReturnType<typeof loadLogFilters>>;

/** The search behind the filters. Without a time the default window counts, but for a request id: that is one row. */
export function toLogSearch(filters: LogFilters, window: LogWindow): LogSearch {
  const { start, end, request } = filters;
  const from = start ?? (request === "" ? window.start : null);
  const until = end ?? (request === "" ? window.end : null);
  const given: Record<string, unknown> = filters;
  return {
    ...Object.fromEntries(
      LOG_FILTERS.flatMap(({ field, address }) => (given[address] === null ? [] : [[field, given[address]]])),
    ),
    ...(from === null ? {} : { startTimestamp: from }),
    ...(until === null ? {} : { endTimestamp: until }),
  };
}
