"use client";

import { Calculator, Copy, Info, Scale } from "lucide-react";
import { useTranslations } from "next-intl";
import { useState } from "react";
import { toast } from "sonner";
import { useCopy } from "@/components/form/copy-button";
import { Button } from "@/components/ui/button";
import type { PriceList } from "@/lib/pricing/types";
import { CompareDialog } from "./compare-dialog";
import { chooseModels, type PriceFilter, type PriceSort } from "./price-math";
import { PricingBanner } from "./pricing-banner";
import { PricingFilters } from "./pricing-filters";
import { PricingTable } from "./pricing-table";
import { RatioDialog } from "./ratio-dialog";
import { type SimulateCharge, SimulatorDialog } from "./simulator-dialog";
import { SnippetDialog, type SnippetOffer } from "./snippet-dialog";

const INFO_MS = 3_000;
const ERROR_MS = 5_000;
const COMPARE_MAX = 6;

type PricingViewProps = {
  prices: PriceList;
  /** The reader's group; null = not signed in. */
  ownGroup: string | null;
  snippets: SnippetOffer;
  simulateCharge: SimulateCharge;
};

const NO_FILTER: PriceFilter = { search: "", vendor: null, billing: null, onlyAvailable: false };

/** The price page: all models as one of the reader's groups sees them. */
export function PricingView({ prices, ownGroup, snippets, simulateCharge }: PricingViewProps) {
  const t = useTranslations("pricing");
  const copy = useCopy();
  const [group, setGroup] = useState(ownGroup ?? "default");
  const [filter, setFilter] = useState(NO_FILTER);
  const [sort, setSort] = useState<PriceSort>("usual");
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set());
  const [opened, setOpened] = useState<"ratios" | "compare" | null>(null);
  const [simulated, setSimulated] = useState<string | null>(null);
  const [coded, setCoded] = useState<string | null>(null);
  const groupRatio = prices.groupRatio[group] ?? 1;
  const shown = chooseModels(prices.models, filter, sort, group);
  const chosen = prices.models.filter(({ modelName }) => selected.has(modelName));

  const onGroup = (name: string) => {
    setGroup(name);
    const ratio = String(prices.groupRatio[name] ?? 1);
    toast.info(t("viewing", { group: name, ratio }), { id: "pricing-group", duration: INFO_MS });
  };
  const onCopySelected = () => {
    if (chosen.length === 0) return toast.error(t("selectOne"), { duration: ERROR_MS });
    return copy(chosen.map(({ modelName }) => modelName).join(","));
  };
  const onCompare = () => {
    if (chosen.length < 2) return toast.error(t("compareFew"), { duration: ERROR_MS });
    if (chosen.length > COMPARE_MAX)
      return toast.error(t("compareMany", { max: String(COMPARE_MAX) }), { duration: ERROR_MS });
    return setOpened("compare");
  };
  return (
    <>
      <PricingBanner prices={prices} ownGroup={ownGroup} group={group} onGroup={onGroup} />
      <div className="mb-3 flex flex-wrap gap-2">
        <Button size="md" onClick={onCopySelected}>
          <Copy aria-hidden />
          {t("copySelected")}
          {selected.size > 0 ? <span className="tabular-nums">({selected.size})</span> : null}
        </Button>
        <Button size="md" onClick={onCompare}>
          <Scale aria-hidden />
          {t("compare")}
        </Button>
        <Button size="md" onClick={() => setSimulated(shown[0]?.modelName ?? "")} disabled={prices.models.length === 0}>
          <Calculator aria-hidden />
          {t("simulator")}
        </Button>
        <Button size="md" onClick={() => setOpened("ratios")}>
          <Info aria-hidden />
          {t("ratios")}
        </Button>
      </div>
      <section className="overflow-hidden rounded-lg border bg-surface">
        <PricingFilters models={prices.models} filter={filter} sort={sort} onFilter={setFilter} onSort={setSort} />
        <PricingTable
          key={`${JSON.stringify(filter)} ${sort}`}
          models={shown}
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
      <SimulatorDialog
        model={simulated}
        group={group}
        prices={prices}
        simulateCharge={simulateCharge}
        onClose={() => setSimulated(null)}
      />
      <SnippetDialog model={coded} offer={snippets} onClose={() => setCoded(null)} />
    </>
  );
}
