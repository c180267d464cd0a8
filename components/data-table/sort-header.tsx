"use client";

import { ArrowDown, ArrowUp, ChevronsUpDown } from "lucide-react";
import { useTranslations } from "next-intl";
import { parseAsBoolean, parseAsInteger, parseAsString, useQueryStates } from "nuqs";
import type { ReactNode } from "react";
import { cn } from "@/components/ui/class-names";
import { useListTransition } from "./list-transition";

const sortParsers = { sort: parseAsString, descending: parseAsBoolean, page: parseAsInteger };

type SortHeaderProps = { id: string; name: string; align?: "right" | undefined; className: string; head?: ReactNode };

/** A column header that sorts on the server. Clicks cycle through descending, ascending and the list's default order. */
export function SortHeader({ id, name, align, className, head }: SortHeaderProps) {
  const t = useTranslations("paging");
  const { startTransition } = useListTransition();
  const [current, setCurrent] = useQueryStates(sortParsers, {
    shallow: false,
    history: "push",
    startTransition,
  });
  const active = current.sort === id;
  const descending = current.descending ?? true;
  const onSort = () => {
    if (!active) return setCurrent({ sort: id, descending: true, page: null });
    if (descending) return setCurrent({ sort: id, descending: false, page: null });
    return setCurrent({ sort: null, descending: null, page: null });
  };
  const Icon = !active ? ChevronsUpDown : descending ? ArrowDown : ArrowUp;
  const direction = active ? (descending ? "descending" : "ascending") : "none";
  return (
    <th scope="col" aria-sort={direction} className={className}>
      {head ? <span className="mr-2 inline-flex align-middle">{head}</span> : null}
      <button
        type="button"
        onClick={onSort}
        title={active && descending ? t("sortAscending", { name }) : t("sortDescending", { name })}
        className={cn(
          "-mx-1 inline-flex items-center gap-1 rounded px-1 py-0.5 hover:text-foreground",
          align === "right" ? "flex-row-reverse text-right" : "text-left",
          active && "text-foreground",
        )}
      >
        {name}
        <Icon className="size-3.5 shrink-0" aria-hidden />
      </button>
    </th>
  );
}
