"use client";

import { useTranslations } from "next-intl";
import type { ChangeFilter } from "@/components/price-effect/change-list";
import { Checkbox } from "@/components/ui/checkbox";
import { Input } from "@/components/ui/input";
import { Label } from "@/components/ui/label";
import { Segmented } from "@/components/ui/segmented";

type ChangeFiltersProps = { filter: ChangeFilter; onFilter: (filter: ChangeFilter) => void };

export function ChangeFilters({ filter, onFilter }: ChangeFiltersProps) {
  const t = useTranslations("priceSync");
  return (
    <search className="flex flex-wrap items-center gap-x-4 gap-y-2 border-b px-4 py-3">
      <Input
        type="search"
        aria-label={t("search")}
        placeholder={t("search")}
        value={filter.search}
        onChange={(event) => onFilter({ ...filter, search: event.target.value })}
        className="sm:w-60"
      />
      <Segmented
        label={t("kind")}
        value={filter.kind}
        choices={[
          { value: "all", label: t("kindAll") },
          { value: "changed", label: t("kindChanged") },
          { value: "new", label: t("kindNew") },
        ]}
        onValue={(kind) => onFilter({ ...filter, kind })}
      />
      <Label className="flex items-center gap-2 font-normal">
        <Checkbox
          checked={filter.onlyServed}
          onChange={(event) => onFilter({ ...filter, onlyServed: event.target.checked })}
        />
        {t("onlyServed")}
      </Label>
    </search>
  );
}
