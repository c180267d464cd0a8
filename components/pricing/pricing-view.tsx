"use client";

import { useTranslations } from "next-intl";
import { parseAsBoolean, parseAsInteger, parseAsString, parseAsStringLiteral, useQueryStates } from "nuqs";
import { useState } from "react";
import { toast } from "@/components/ui/toast";
import { MODALITIES } from "@/lib/billing/modality";
import type { PriceList } from "@/lib/pricing/types";
import { CompareDialog } from "./compare-dialog";
import { chooseModels, PRICE_SORTS, type PriceFilter, type PriceSort } from "./price-math";
import { PricingBanner } from "./pricing-banner";
import { PricingFilters } from "./pricing-filters";
import { PricingTable } from "./pricing-table";
import { PricingTools } from "./pricing-tools";
import { RatioDialog } from "./ratio-dialog";
import { SimulatorDialog } from "./simulator-dialog";
import { SnippetDialog, type SnippetOffer } from "./snippet-dialog";

/** The URL parameters of the pricing page, so that a link shows the same models and group. */
const pricingParams = {
  search: parseAsString.withDefault(""),
  /** A channel type. */
  vendor: parseAsInteger,
  billing: parseAsStringLiteral(["usage", "call"] as const),
  input: parseAsStringLiteral(MODALITIES),
  available: parseAsBoolean.withDefault(false),
  sort: parseAsStringLiteral(PRICE_SORTS).withDefault("usual"),
  /** The group whose prices are shown; null = the user's own group. */
  group: parseAsString,
};

const INFO_MS = 3_000;

type PricingViewProps = {
  prices: PriceList;
  /** The user's group; null = not signed in. */
  ownGroup: string | null;
  snippets: SnippetOffer;
};

/** All models at the prices of one group. */
export function PricingView({ prices, ownGroup, snippets }: PricingViewProps) {
  const { group, onGroup, filter, onFilter, sort, onSort } = usePriceSearch(prices, ownGroup);
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set());
  const [opened, setOpened] = useState<"ratios" | "compare" | null>(null);
  const [simulated, setSimulated] = useState<string | null>(null);
  const [coded, setCoded] = useState<string | null>(null);
  const groupRatio = prices.groupRatio[group] ?? 1;
  const shown = chooseModels(prices.models, filter, sort, group);
  const chosen = prices.models.filter(({ modelName }) => selected.has(modelName));

  return (
    <>
      <PricingBanner prices={prices} ownGroup={ownGroup} group={group} onGroup={onGroup} />
      <PricingTools
        chosen={chosen}
        canSimulate={prices.models.length > 0}
        onCompare={() => setOpened("compare")}
        onSimulate={() => setSimulated(shown[0]?.modelName ?? prices.models[0]?.modelName ?? "")}
        onRatios={() => setOpened("ratios")}
      />
      <section className="overflow-hidden rounded-lg border bg-surface">
        <PricingFilters models={prices.models} filter={filter} sort={sort} onFilter={onFilter} onSort={onSort} />
        <PricingTable
          key={`${JSON.stringify(filter)} ${sort}`}
          models={shown}
          none={prices.models.length === 0}
          group={group}
          groupRatio={groupRatio}
          prices={prices}
          selected={selected}
          onSelect={setSelected}
          onGroup={onGroup}
          onSimulate={setSimulated}
          onCode={setCoded}
        />
      </section>
      <RatioDialog open={opened === "ratios"} quotaPerUnit={prices.quotaPerUnit} onClose={() => setOpened(null)} />
      <CompareDialog
        open={opened === "compare"}
        models={chosen}
        groupRatio={groupRatio}
        group={group}
        onClose={() => setOpened(null)}
      />
      <SimulatorDialog model={simulated} group={group} prices={prices} onClose={() => setSimulated(null)} />
      <SnippetDialog model={coded} offer={snippets} onClose={() => setCoded(null)} />
    </>
  );
}

/** The filter state from the URL. The group defaults to the user's own, or to "default" for visitors. */
function usePriceSearch(prices: PriceList, ownGroup: string | null) {
  const t = useTranslations("pricing");
  const [{ search, vendor, billing, input, available, sort, group: asked }, setSearch] = useQueryStates(pricingParams);
  const own = ownGroup ?? "default";
  const group = asked !== null && asked in prices.usableGroup ? asked : own;
  const filter: PriceFilter = { search, vendor, billing, input, onlyAvailable: available };
  return {
    group,
    filter,
    sort,
    onFilter: ({ onlyAvailable, ...rest }: PriceFilter) => void setSearch({ ...rest, available: onlyAvailable }),
    onSort: (next: PriceSort) => void setSearch({ sort: next }),
    onGroup: (name: string) => {
      void setSearch({ group: name === own ? null : name }, { history: "push" });
      const ratio = String(prices.groupRatio[name] ?? 1);
      toast.info(t("viewing", { group: name, ratio }), { id: "pricing-group", duration: INFO_MS });
    },
  };
}
