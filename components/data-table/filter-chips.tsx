"use client";

import { X } from "lucide-react";
import { useTranslations } from "next-intl";
import { Button } from "@/components/ui/button";

/** An active filter. */
export type FilterChip = { id: string; name: string; value: string; onRemove: () => void };

/** [] for an empty value, so that chips can be listed with a spread. */
export function chipOf(name: string, value: string, onRemove: () => void): FilterChip[] {
  return value === "" ? [] : [{ id: `${name}: ${value}`, name, value, onRemove }];
}

/** The active filters, each of which can be removed. */
export function FilterChips({ chips, onClear }: { chips: readonly FilterChip[]; onClear: () => void }) {
  const t = useTranslations("common");
  return (
    <div className="flex flex-wrap items-center gap-1.5 border-b px-4 py-2">
      <ul aria-label={t("activeFilters")} className="contents">
        {chips.map(({ id, name, value, onRemove }) => (
          <li key={id} className="flex min-w-0 max-w-full items-center rounded-md border bg-muted/60 text-xs">
            <span className="truncate py-1 pl-2">
              <span className="text-muted-foreground">{name}:</span>{" "}
              <span dir="auto" data-user-text>
                {value}
              </span>
            </span>
            <button
              type="button"
              aria-label={t("removeItem", { name: id })}
              onClick={onRemove}
              className="grid size-6 shrink-0 place-items-center rounded-md text-muted-foreground hover:text-foreground"
            >
              <X className="size-3.5" aria-hidden />
            </button>
          </li>
        ))}
      </ul>
      <Button variant="ghost" onClick={onClear} className="text-muted-foreground">
        {t("clearFilters")}
      </Button>
    </div>
  );
}
