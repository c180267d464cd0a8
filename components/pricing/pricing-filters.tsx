"use client";

import { Search } from "lucide-react";
import { useTranslations } from "next-intl";
import { useId, useRef, useState } from "react";
import { useChannelTypeName } from "@/components/channel/channel-type";
import { Checkbox } from "@/components/ui/checkbox";
import { Input } from "@/components/ui/input";
import { Label } from "@/components/ui/label";
import { Select } from "@/components/ui/select";
import type { PricedModel } from "@/lib/pricing/types";
import { PRICE_SORTS, type PriceFilter, type PriceSort } from "./price-math";

type PricingFiltersProps = {
  models: readonly PricedModel[];
  filter: PriceFilter;
  sort: PriceSort;
  onFilter: (filter: PriceFilter) => void;
  onSort: (sort: PriceSort) => void;
};

export function PricingFilters({ models, filter, sort, onFilter, onSort }: PricingFiltersProps) {
  const t = useTranslations("pricing");
  const vendorName = useChannelTypeName();
  const availableId = useId();
  const vendors = [...new Set(models.flatMap(({ channelTypes }) => channelTypes))].sort((a, b) => a - b);
  return (
    <search className="flex flex-wrap items-center gap-2 border-b px-4 py-3">
      <ModelSearch onSearch={(search) => onFilter({ ...filter, search })} />
      <Select
        aria-label={t("vendor")}
        value={filter.vendor ?? ""}
        onChange={(event) => onFilter({ ...filter, vendor: event.target.value ? Number(event.target.value) : null })}
        className="w-full sm:w-44"
      >
        <option value="">{t("vendorAll")}</option>
        {vendors.map((type) => (
          <option key={type} value={type}>
            {vendorName(type)}
          </option>
        ))}
      </Select>
      <Select
        aria-label={t("billing")}
        value={filter.billing ?? ""}
        onChange={({ target: { value } }) =>
          onFilter({ ...filter, billing: value === "usage" || value === "call" ? value : null })
        }
        className="w-full sm:w-40"
      >
        <option value="">{t("billingAll")}</option>
        <option value="usage">{t("byUsage")}</option>
        <option value="call">{t("byCall")}</option>
      </Select>
      <Select
        aria-label={t("sort")}
        value={sort}
        onChange={(event) => onSort(PRICE_SORTS.find((known) => known === event.target.value) ?? "usual")}
        className="w-full sm:w-44"
      >
        {PRICE_SORTS.map((known) => (
          <option key={known} value={known}>
            {t(`sorts.${known}`)}
          </option>
        ))}
      </Select>
      <span className="flex items-center gap-2">
        <Checkbox
          id={availableId}
          checked={filter.onlyAvailable}
          onChange={(event) => onFilter({ ...filter, onlyAvailable: event.target.checked })}
        />
        <Label htmlFor={availableId} className="font-normal">
          {t("onlyAvailable")}
        </Label>
      </span>
    </search>
  );
}

/** Searches as the reader types, except in the middle of a composed character. */
function ModelSearch({ onSearch }: { onSearch: (text: string) => void }) {
  const t = useTranslations("pricing");
  const [text, setText] = useState("");
  const composing = useRef(false);
  return (
    <div className="relative w-full sm:w-64">
      <Search
        className="pointer-events-none absolute top-1/2 left-2.5 size-4 -translate-y-1/2 text-muted-foreground"
        aria-hidden
      />
      <Input
        aria-label={t("search")}
        placeholder={t("search")}
        value={text}
        autoComplete="off"
        spellCheck={false}
        onCompositionStart={() => {
          composing.current = true;
        }}
        onCompositionEnd={(event) => {
          composing.current = false;
          onSearch(event.currentTarget.value);
        }}
        onChange={(event) => {
          setText(event.target.value);
          if (!composing.current) onSearch(event.target.value);
        }}
        className="pl-8"
      />
    </div>
  );
}
