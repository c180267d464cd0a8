"use client";

import { type Nullable, type UseQueryStatesKeysMap, useQueryStates, type Values } from "nuqs";
import { pagingParams } from "./list-params";
import { useListTransition } from "./list-transition";

type Filters<Params extends UseQueryStatesKeysMap> = {
  filters: Values<Params>;
  /** Whether any filter is set. */
  active: boolean;
  /** Changes some filters and goes back to the first page. */
  setFilters: (change: Partial<Nullable<Values<Params>>>) => void;
  clear: () => void;
};

/** Whether only a non-empty text changes: then each letter does not make a history entry. */
function isTyping(before: Record<string, unknown>, next: Record<string, unknown>): boolean {
  return Object.entries(next).every(([key, value]) => isText(before[key]) && isText(value));
}

const isText = (value: unknown): boolean => typeof value === "string" && value !== "";

/** The filters of one list, kept in the URL. Rows are reloaded in the list's transition. */
export function useFilters<Params extends UseQueryStatesKeysMap>(params: Params): Filters<Params> {
  const { startTransition } = useListTransition();
  const [values, setValues] = useQueryStates(
    { ...params, page: pagingParams.page },
    { shallow: false, startTransition },
  );
  const change = setValues as (
    change: Record<string, unknown> | null,
    options: { history: "push" | "replace" },
  ) => Promise<URLSearchParams>;
  const filters = values as Values<Params>;
  return {
    filters,
    active: Object.entries(params).some(([key, parser]) => filters[key] !== (parser.defaultValue ?? null)),
    setFilters: (next) =>
      void change({ ...next, page: null }, { history: isTyping(filters, next) ? "replace" : "push" }),
    clear: () => void change(null, { history: "push" }),
  };
}
