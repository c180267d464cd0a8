"use client";

import { SearchX } from "lucide-react";
import { useTranslations } from "next-intl";
import { useQueryStates } from "nuqs";
import { useState, useTransition } from "react";
import { toast } from "sonner";
import { EmptyList } from "@/components/data-table/list-parts";
import { useRunAction } from "@/components/form/use-run-action";
import { EffectDialog, type ShownEffect } from "@/components/price-effect/effect-dialog";
import { Button } from "@/components/ui/button";
import { Checkbox } from "@/components/ui/checkbox";
import { Input } from "@/components/ui/input";
import { Label } from "@/components/ui/label";
import type { ActionResult } from "@/lib/http/action";
import type { ListedPrice } from "@/lib/pricing/adjust/list-queries";
import type { AdjustInput, Adjustment, ApplyAdjustmentInput } from "@/lib/pricing/adjust/schemas";
import type { AdjustmentPreview } from "@/lib/pricing/effect/preview-queries";
import { AdjustBar } from "./adjust-bar";
import { priceListParams } from "./price-list-search";
import { PriceListTable } from "./price-list-table";

const STEP = 50;
const NAMED_MAX = 5;

export type PriceListActions = {
  previewAdjustment: (input: AdjustInput) => Promise<ActionResult<AdjustmentPreview>>;
  applyAdjustment: (input: ApplyAdjustmentInput) => Promise<ActionResult<{ count: number }>>;
};

type Reviewed = { effect: ShownEffect; adjustment: Adjustment; models: string[]; state: string; unpriced: string[] };

/** Prices in force; those of a selection are raised, lowered or set after their effect was seen. */
export function PriceList({ prices, actions }: { prices: ListedPrice[]; actions: PriceListActions }) {
  const t = useTranslations("priceList");
  const [search, setSearch] = useState("");
  const [isLoading, startTransition] = useTransition();
  const [{ builtIn }, setParams] = useQueryStates(priceListParams, { shallow: false, startTransition });
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set());
  const [count, setCount] = useState(STEP);
  const [reviewed, setReviewed] = useState<Reviewed | null>(null);
  const previewing = useRunAction();
  const applying = useRunAction();
  const wanted = search.trim().toLowerCase();
  const found = prices.filter(({ model }) => model.toLowerCase().includes(wanted));
  const onReview = (adjustment: Adjustment) => {
    const models = [...selected];
    setReviewed({ effect: "loading", adjustment, models, state: "", unpriced: [] });
    previewing.run(
      () => actions.previewAdjustment({ models, adjustment }),
      ({ state, unpriced, ...effect }) => setReviewed({ effect, adjustment, models, state, unpriced }),
      () => setReviewed(null),
    );
  };
  const onSave = () => {
    if (!reviewed) return;
    const { models, adjustment, state } = reviewed;
    applying.run(
      () => actions.applyAdjustment({ models, adjustment, state }),
      ({ count: changed }) => {
        toast.success(t("saved", { count: changed }));
        setReviewed(null);
        setSelected(new Set());
      },
      () => setReviewed(null),
    );
  };
  const onSearch = (text: string) => {
    setSearch(text);
    setCount(STEP);
  };
  return (
    <section
      aria-busy={isLoading}
      className="rounded-lg border bg-surface max-md:-mx-4 max-md:rounded-none max-md:border-x-0"
    >
      <search className="flex flex-wrap items-center gap-x-4 gap-y-2 border-b px-4 py-3">
        <Input
          type="search"
          aria-label={t("search")}
          placeholder={t("search")}
          value={search}
          onChange={(event) => onSearch(event.target.value)}
          className="sm:w-60"
        />
        <Label className="flex items-center gap-2 font-normal">
          <Checkbox checked={builtIn} onChange={(event) => void setParams({ builtIn: event.target.checked })} />
          {t("withBuiltIn")}
        </Label>
      </search>
      {found.length === 0 ? (
        <EmptyList icon={<SearchX aria-hidden />} title={t("noneTitle")} text={t("noneText")} />
      ) : (
        <>
          <SelectAll models={found.map(({ model }) => model)} selected={selected} onSelect={setSelected} />
          <PriceListTable prices={found.slice(0, count)} selected={selected} onSelect={setSelected} />
        </>
      )}
      {found.length > count ? (
        <div className="flex justify-center border-t p-3">
          <Button onClick={() => setCount(count + 4 * STEP)}>{t("more", { count: found.length - count })}</Button>
        </div>
      ) : null}
      <AdjustBar count={selected.size} pending={previewing.pending} onReview={onReview} />
      {reviewed ? (
        <EffectDialog
          effect={reviewed.effect}
          pending={applying.pending}
          onSave={onSave}
          onClose={() => setReviewed(null)}
          note={unpricedNote(t, reviewed)}
        />
      ) : null}
    </section>
  );
}

function unpricedNote(t: ReturnType<typeof useTranslations<"priceList">>, { unpriced, adjustment }: Reviewed): string {
  const rounding = adjustment.kind === "percent" ? t("rounding") : "";
  if (unpriced.length === 0) return rounding;
  const names = unpriced.slice(0, NAMED_MAX).join(", ");
  return `${rounding} ${t("unpriced", { count: unpriced.length, names })}`;
}

type SelectAllProps = {
  models: readonly string[];
  selected: ReadonlySet<string>;
  onSelect: (selected: ReadonlySet<string>) => void;
};

/** Selects everything that the search found, on all pages. */
function SelectAll({ models, selected, onSelect }: SelectAllProps) {
  const t = useTranslations("priceList");
  const all = models.every((model) => selected.has(model));
  const onAll = () => {
    const shown = new Set(models);
    onSelect(all ? new Set([...selected].filter((model) => !shown.has(model))) : new Set([...selected, ...models]));
  };
  return (
    <Label className="flex items-center gap-2 border-b px-4 py-1.5 font-normal text-muted-foreground text-xs">
      <Checkbox checked={all} onChange={onAll} />
      {t("selectAll", { count: models.length })}
    </Label>
  );
}
