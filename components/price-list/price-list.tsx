"use client";

import { SearchX } from "lucide-react";
import { useTranslations } from "next-intl";
import { useQueryStates } from "nuqs";
import { useState, useTransition } from "react";
import { EmptyList } from "@/components/data-table/list-parts";
import { createLatest } from "@/components/form/latest";
import { useRunAction } from "@/components/form/use-run-action";
import { EffectDialog, type ShownEffect } from "@/components/price-effect/effect-dialog";
import { Button } from "@/components/ui/button";
import { Checkbox } from "@/components/ui/checkbox";
import { Input } from "@/components/ui/input";
import { Label } from "@/components/ui/label";
import { toast } from "@/components/ui/toast";
import type { ListedPrice } from "@/lib/pricing/adjust/list-queries";
import type { Adjustment } from "@/lib/pricing/adjust/schemas";
import { applyAdjustment, previewAdjustment } from "./actions";
import { AdjustBar } from "./adjust-bar";
import { priceListParams } from "./price-list-search";
import { PriceListTable } from "./price-list-table";

const STEP = 50;
const NAMED_MAX = 5;

type Reviewed = { effect: ShownEffect; adjustment: Adjustment; models: string[]; state: string; unpriced: string[] };

type PriceListProps = {
  prices: ListedPrice[];
  /** Models that a link wants priced: they are selected, and the field of their price has the focus. */
  wanted: readonly string[];
};

/** Prices in force; those of a selection are raised, lowered or set after their effect was seen. */
export function PriceList({ prices, wanted }: PriceListProps) {
  const t = useTranslations("priceList");
  const [search, setSearch] = useState(wanted.length === 1 ? (wanted[0] ?? "") : "");
  const [isLoading, startTransition] = useTransition();
  const [{ builtIn }, setParams] = useQueryStates(priceListParams, { shallow: false, startTransition });
  const [selected, setSelected] = useState<ReadonlySet<string>>(
    () => new Set(prices.map(({ model }) => model).filter((model) => wanted.includes(model))),
  );
  const [count, setCount] = useState(STEP);
  const review = useReview(() => setSelected(new Set()));
  const { reviewed } = review;
  const text = search.trim().toLowerCase();
  const found = prices.filter(({ model }) => model.toLowerCase().includes(text));
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
      <AdjustBar
        isOpened={wanted.length > 0}
        count={selected.size}
        pending={review.isPreviewing}
        onReview={(adjustment) => review.open([...selected], adjustment)}
      />
      {reviewed ? (
        <EffectDialog
          effect={reviewed.effect}
          pending={review.isApplying}
          onSave={review.apply}
          onClose={review.close}
          note={unpricedNote(t, reviewed)}
        />
      ) : null}
    </section>
  );
}

/** Shows the effect of an adjustment, and applies it. */
function useReview(onApplied: () => void) {
  const t = useTranslations("priceList");
  const [reviewed, setReviewed] = useState<Reviewed | null>(null);
  const [latest] = useState(createLatest);
  const previewing = useRunAction();
  const applying = useRunAction();
  const close = () => {
    latest.forget();
    setReviewed(null);
  };
  const open = (models: string[], adjustment: Adjustment) => {
    setReviewed({ effect: "loading", adjustment, models, state: "", unpriced: [] });
    const show = latest.only((shown: Reviewed | null) => setReviewed(shown));
    previewing.run(
      () => previewAdjustment({ models, adjustment }),
      ({ state, unpriced, ...effect }) => show({ effect, adjustment, models, state, unpriced }),
      () => show(null),
    );
  };
  const apply = () => {
    if (!reviewed) return;
    const { models, adjustment, state } = reviewed;
    applying.run(
      () => applyAdjustment({ models, adjustment, state }),
      ({ count }) => {
        toast.success(t("saved", { count }));
        close();
        onApplied();
      },
      close,
    );
  };
  return { reviewed, isPreviewing: previewing.pending, isApplying: applying.pending, open, apply, close };
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
