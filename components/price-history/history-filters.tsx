"use client";

import { ChevronRight, ChevronsLeft } from "lucide-react";
import { useTranslations } from "next-intl";
import { useQueryStates } from "nuqs";
import { FilterBar, TextFilter } from "@/components/data-table/filter-bar";
import { useListTransition } from "@/components/data-table/list-transition";
import { Button } from "@/components/ui/button";
import { priceHistoryParams } from "./history-search";

function useHistorySearch() {
  const { startTransition } = useListTransition();
  return useQueryStates(priceHistoryParams, { shallow: false, history: "push", startTransition });
}

export function HistoryFilters() {
  const t = useTranslations("priceHistory");
  const [{ name }, setSearch] = useHistorySearch();
  return (
    <FilterBar active={name !== ""} onClear={() => setSearch(null)}>
      <TextFilter
        search
        label={t("nameFilter")}
        value={name}
        onValue={(text) => setSearch({ name: text || null, before: null })}
        className="sm:w-64"
      />
    </FilterBar>
  );
}

/** Keyset pagination: only "older" and "back to newest". */
export function HistoryPages({ next, isFirst }: { next: number | null; isFirst: boolean }) {
  const t = useTranslations("priceHistory");
  const [, setSearch] = useHistorySearch();
  return (
    <nav aria-label={t("pages")} className="flex justify-end gap-2 border-t px-4 py-2.5">
      <Button disabled={isFirst} onClick={() => setSearch({ before: null })}>
        <ChevronsLeft aria-hidden />
        {t("newest")}
      </Button>
      <Button disabled={next === null} onClick={() => setSearch({ before: next })}>
        {t("older")}
        <ChevronRight aria-hidden />
      </Button>
    </nav>
  );
}
