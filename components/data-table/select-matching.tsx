"use client";

import { useTranslations } from "next-intl";
import { useState } from "react";
import { useRunAction } from "@/components/form/use-run-action";
import { Button } from "@/components/ui/button";
import type { ActionResult } from "@/lib/http/action";
import { MATCHING_MAX } from "@/lib/matching-max";
import { useSelection } from "./selection";

type SelectMatchingProps<Row, Search> = {
  /** How many rows match, and how many of them the page has. */
  total: number;
  onPage: number;
  selected: number;
  search: Search;
  find: (search: Search) => Promise<ActionResult<Row[]>>;
  onFound: (rows: Row[]) => void;
};

/** Selects the rows of all pages that match the filters. They are fetched now: what matches later is not changed. */
export function SelectMatching<Row, Search>(props: SelectMatchingProps<Row, Search>) {
  const { total, onPage, selected, search, find, onFound } = props;
  const t = useTranslations("list");
  const { pending, run } = useRunAction();
  const [last, setLast] = useState({ search: "", count: 0 });
  const asked = JSON.stringify(search);
  const isDone = last.search === asked && selected >= last.count;
  if (total <= onPage || isDone) return null;
  const onSelect = () =>
    run(
      () => find(search),
      (rows) => {
        setLast({ search: asked, count: rows.length });
        onFound(rows);
      },
    );
  return (
    <Button variant="ghost" pending={pending} onClick={onSelect}>
      {total > MATCHING_MAX ? t("selectFirst", { count: MATCHING_MAX }) : t("selectMatching", { count: total })}
    </Button>
  );
}

type MatchingRowProps<Search> = Pick<SelectMatchingProps<number, Search>, "total" | "onPage" | "search" | "find">;

/** The same below the bar of a list whose selection is shared. */
export function MatchingRow<Search>(props: MatchingRowProps<Search>) {
  const { ids, change } = useSelection();
  if (ids.size === 0) return null;
  return (
    <div className="flex border-b bg-accent px-4 py-1 text-accent-foreground empty:hidden">
      <SelectMatching {...props} selected={ids.size} onFound={(found) => change(found, true)} />
    </div>
  );
}
