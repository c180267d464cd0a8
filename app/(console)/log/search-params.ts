import { createLoader } from "nuqs/server";
import { pagingParams, peekParams } from "@/components/data-table/list-params";
import { logFilterParams, logViewParam } from "@/components/log/log-search";
import { nowSeconds } from "@/lib/clock";
import { resolveTimes } from "@/lib/time-range";
import { LOG_FILTERS } from "@/lib/usage-log/columns";
import type { LogSearch } from "@/lib/usage-log/schemas";
import type { LogWindow } from "@/lib/usage-log/window";
import { createListLoader } from "../list-loader";

export const loadLogSearch = createListLoader({
  ...pagingParams,
  ...peekParams,
  view: logViewParam,
  ...logFilterParams,
});

/** Only the filters; for the live tail and the export. */
export const loadLogFilters = createLoader(logFilterParams);

type LogFilters = Awaited<ReturnType<typeof loadLogFilters>>;

/** Without a time in the filters the default window applies, except for a request id, which finds at most one row. */
export function toLogSearch(filters: LogFilters, window: LogWindow, timeZone: string): LogSearch {
  const { request } = filters;
  const { start, end } = resolveTimes(filters, nowSeconds(), timeZone);
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
