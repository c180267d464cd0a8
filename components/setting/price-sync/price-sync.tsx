"use client";

import { useTranslations } from "next-intl";
import { useState } from "react";
import { useRunAction } from "@/components/form/use-run-action";
import { toast } from "@/components/ui/toast";
import type { PriceComparison } from "@/lib/pricing/sync/preview-queries";
import type { PriceListInput } from "@/lib/pricing/sync/schemas";
import { toTuple } from "@/lib/pricing/sync/to-tuple";
import { applyPrices, comparePriceList, previewOffers } from "./actions";
import { ComparisonView } from "./comparison-view";
import { ListAddress } from "./list-address";

type Shown = { list: PriceListInput; comparison: PriceComparison };

/** Compares a price list with the prices in force; nothing changes before it was seen and selected. */
export function PriceSync() {
  const t = useTranslations("priceSync");
  const [shown, setShown] = useState<Shown | null>(null);
  const comparing = useRunAction();
  const applying = useRunAction();
  const compare = (list: PriceListInput) =>
    comparing.run(
      () => comparePriceList(list),
      (comparison) => setShown({ list, comparison }),
      () => setShown(null),
    );
  const tuplesOf = (models: ReadonlySet<string>) =>
    (shown?.comparison.changes ?? []).filter(({ model }) => models.has(model)).map(toTuple);
  const preview = (models: ReadonlySet<string>) => previewOffers({ prices: tuplesOf(models) });
  const apply = (models: ReadonlySet<string>, onDone: () => void) => {
    if (!shown) return;
    const { list, comparison } = shown;
    applying.run(
      () => applyPrices({ state: comparison.state, prices: tuplesOf(models) }),
      ({ count }) => {
        toast.success(t("applied", { count }));
        onDone();
        compare(list);
      },
      onDone,
    );
  };
  return (
    <>
      <ListAddress pending={comparing.pending} onCompare={compare} />
      {shown ? (
        <ComparisonView
          key={`${shown.comparison.state} ${shown.comparison.rate}`}
          comparison={shown.comparison}
          isStale={comparing.pending}
          pending={applying.pending}
          onApply={apply}
          previewOf={preview}
        />
      ) : null}
    </>
  );
}
