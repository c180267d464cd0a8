"use client";

import { Search } from "lucide-react";
import { useTranslations } from "next-intl";
import { useId, useRef, useState } from "react";
import { useChannelTypeName } from "@/components/channel/channel-types";
import { Button } from "@/components/ui/button";
import { Checkbox } from "@/components/ui/checkbox";
import { Input } from "@/components/ui/input";
import { Label } from "@/components/ui/label";
import { NativeSelect } from "@/components/ui/native-select";
import { MODALITIES, type Modality } from "@/lib/billing/modality";
import type { PricedModel } from "@/lib/pricing/types";
import { PRICE_SORTS, type PriceFilter, type PriceSort } from "./price-math";

type PricingFiltersProps = {
  models: readonly PricedModel[];
  filter: PriceFilter;
  sort: PriceSort;
  onFilter: (filter: PriceFilter) => void;
  onSort: (sort: PriceSort) => void;
};

const NO_FILTER: PriceFilter = { search: "", vendor: null, billing: null, input: null, onlyAvailable: false };

const isFiltering = ({ search, vendor, billing, input, onlyAvailable }: PriceFilter) =>
  search !== "" || vendor !== null || billing !== null || input !== null || onlyAvailable;

export function PricingFilters({ models, filter, sort, onFilter, onSort }: PricingFiltersProps) {
  const t = useTranslations("pricing");
  const common = useTranslations("common");
  const vendorName = useChannelTypeName();
  const vendors = [...new Set(models.flatMap(({ channelTypes }) => channelTypes))].sort((a, b) => a - b);
  return (
    <search className="flex flex-wrap items-center gap-2 border-b px-4 py-3">
      <ModelSearch search={filter.search} onSearch={(search) => onFilter({ ...filter, search })} />
      <NativeSelect
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
      </NativeSelect>
      <NativeSelect
        aria-label={t("billing")}
        value={filter.billing ?? ""}
        onChange={({ target: { value } }) =>
          onFilter({ ...filter, billing: value === "usage" || value === "call" ? value : null })
        }
        className="w-full sm:w-44"
      >
        <option value="">{t("billingAll")}</option>
        <option value="usage">{t("byUsage")}</option>
        <option value="call">{t("byCall")}</option>
      </NativeSelect>
      <InputSelect input={filter.input} onInput={(input) => onFilter({ ...filter, input })} />
      <NativeSelect
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
      </NativeSelect>
      <AvailableBox
        checked={filter.onlyAvailable}
        onChecked={(onlyAvailable) => onFilter({ ...filter, onlyAvailable })}
      />
      {isFiltering(filter) ? (
        <Button variant="ghost" size="md" onClick={() => onFilter(NO_FILTER)}>
          {common("clearFilters")}
        </Button>
      ) : null}
    </search>
  );
}

function InputSelect({ input, onInput }: { input: Modality | null; onInput: (input: Modality | null) => void }) {
  const t = useTranslations("pricing");
  return (
    <NativeSelect
      aria-label={t("input")}
      value={input ?? ""}
      onChange={(event) => onInput(MODALITIES.find((known) => known === event.target.value) ?? null)}
      className="w-full sm:w-44"
    >
      <option value="">{t("inputAll")}</option>
      {MODALITIES.map((modality) => (
        <option key={modality} value={modality}>
          {t("takesOnly", { kind: t(`modality.${modality}`) })}
        </option>
      ))}
    </NativeSelect>
  );
}

function AvailableBox({ checked, onChecked }: { checked: boolean; onChecked: (checked: boolean) => void }) {
  const t = useTranslations("pricing");
  const id = useId();
  return (
    <span className="flex items-center gap-2">
      <Checkbox id={id} checked={checked} onChange={(event) => onChecked(event.target.checked)} />
      <Label htmlFor={id} className="font-normal">
        {t("onlyAvailable")}
      </Label>
    </span>
  );
}

/** Searches while the user types, except during IME composition. */
function ModelSearch({ search, onSearch }: { search: string; onSearch: (text: string) => void }) {
  const t = useTranslations("pricing");
  const [text, setText] = useState(search);
  const [told, setTold] = useState(search);
  const composing = useRef(false);
  // The search was changed from outside: by the back button or by clearing the filters.
  if (search !== told) {
    setTold(search);
    if (search !== text) setText(search);
  }
  const say = (value: string) => {
    setTold(value);
    onSearch(value);
  };
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
          say(event.currentTarget.value);
        }}
        onChange={(event) => {
          setText(event.target.value);
          if (!composing.current) say(event.target.value);
        }}
        className="pl-8"
      />
    </div>
  );
}
