"use client";

import { CircleCheck, SearchX } from "lucide-react";
import { useTranslations } from "next-intl";
import { useEffect, useRef, useState } from "react";
import { EmptyList } from "@/components/data-table/list-parts";
import { createLatest } from "@/components/form/latest";
import { useRunAction } from "@/components/form/use-run-action";
import { useQuotaDisplay } from "@/components/format/quota-display";
import { type ChangeFilter, filterChanges, isNew } from "@/components/price-effect/change-list";
import { EffectDialog, type ShownEffect } from "@/components/price-effect/effect-dialog";
import { Button } from "@/components/ui/button";
import { Checkbox } from "@/components/ui/checkbox";
import type { ActionResult } from "@/lib/http/action";
import type { PriceEffect } from "@/lib/pricing/effect/types";
import { SELECTED_MAX } from "@/lib/pricing/sync/offer";
import type { PriceComparison } from "@/lib/pricing/sync/preview-queries";
import { ChangeFilters } from "./change-filters";
import { ChangeTable } from "./change-table";
import { isDollar } from "./dollar-rate";
import { RefusedEntries } from "./refused-entries";

const STEP = 50;
const NO_FILTER: ChangeFilter = { search: "", kind: "all", onlyServed: false };

type ComparisonViewProps = {
  comparison: PriceComparison;
  /** A new comparison is under way. */
  isStale: boolean;
  pending: boolean;
  onApply: (models: ReadonlySet<string>, onDone: () => void) => void;
  previewOf: (models: ReadonlySet<string>) => Promise<ActionResult<PriceEffect>>;
};

/** What a list would change, to select from and to apply. */
export function ComparisonView({ comparison, isStale, pending, onApply, previewOf }: ComparisonViewProps) {
  const t = useTranslations("priceSync");
  const { changes, refused, unchanged, format } = comparison;
  const converted = useConvertedText(comparison.rate);
  const [filter, setFilter] = useState(NO_FILTER);
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set());
  const [count, setCount] = useState(STEP);
  const summary = useSeen<HTMLParagraphElement>(comparison);
  const found = filterChanges(changes, filter);
  const added = changes.filter(isNew).length;
  const onFilter = (next: ChangeFilter) => {
    setFilter(next);
    setCount(STEP);
  };
  return (
    <>
      <p ref={summary} role="status" className="mb-2 scroll-mt-20 text-muted-foreground text-xs">
        {t("summary", {
          format: t(`format.${format}`),
          added: String(added),
          changed: String(changes.length - added),
          unchanged: String(unchanged),
          refused: String(refused.length),
        })}
      </p>
      {converted ? <p className="mb-2 text-xs">{converted}</p> : null}
      {/* No hidden overflow: the bar below must stick to the window. */}
      <section className="rounded-lg border bg-surface max-md:-mx-4 max-md:rounded-none max-md:border-x-0">
        {changes.length === 0 ? (
          <EmptyList icon={<CircleCheck aria-hidden />} title={t("sameTitle")} text={t("sameText")} />
        ) : (
          <>
            <ChangeFilters filter={filter} onFilter={onFilter} />
            {found.length === 0 ? (
              <EmptyList icon={<SearchX aria-hidden />} title={t("noneTitle")} text={t("noneText")} />
            ) : (
              <>
                <SelectAll models={found.map(({ model }) => model)} selected={selected} onSelect={setSelected} />
                <ChangeTable changes={found.slice(0, count)} selected={selected} onSelect={setSelected} />
              </>
            )}
            {found.length > count ? (
              <div className="flex justify-center border-t p-3">
                <Button onClick={() => setCount(count + STEP)}>{t("more")}</Button>
              </div>
            ) : null}
            <ApplyBar
              count={selected.size}
              isStale={isStale}
              pending={pending}
              note={[converted, t("applyText")].filter(Boolean).join(" ")}
              preview={() => previewOf(selected)}
              onApply={(done) => onApply(selected, done)}
            />
          </>
        )}
      </section>
      <RefusedEntries refused={refused} />
    </>
  );
}

/** Scrolls to an element that shows something new, if it stands in the lower half of the window or below. */
function useSeen<Element extends HTMLElement>(shown: object) {
  const ref = useRef<Element>(null);
  useEffect(() => {
    const { current } = ref;
    if (shown && current && current.getBoundingClientRect().top > window.innerHeight / 2) current.scrollIntoView();
  }, [shown]);
  return ref;
}

/** What the amounts of the list count as; null where they are in the site's own currency. */
function useConvertedText(rate: number): string | null {
  const t = useTranslations("priceSync");
  const { symbol } = useQuotaDisplay();
  return isDollar(symbol) && rate === 1 ? null : t("converted", { amount: `${symbol}${rate}` });
}

type SelectAllProps = {
  models: readonly string[];
  selected: ReadonlySet<string>;
  onSelect: (selected: ReadonlySet<string>) => void;
};

/** Selects everything that the filter shows, on all pages. */
function SelectAll({ models, selected, onSelect }: SelectAllProps) {
  const t = useTranslations("priceSync");
  const all = models.every((model) => selected.has(model));
  const onAll = () => {
    const shown = new Set(models);
    onSelect(all ? new Set([...selected].filter((model) => !shown.has(model))) : new Set([...selected, ...models]));
  };
  return (
    <p className="flex items-center gap-2 border-b px-4 py-1.5 text-muted-foreground text-xs">
      <Checkbox aria-label={t("selectAll", { count: models.length })} checked={all} onChange={onAll} />
      {t("selectAll", { count: models.length })}
    </p>
  );
}

type ApplyBarProps = {
  count: number;
  note: string;
  isStale: boolean;
  pending: boolean;
  preview: () => Promise<ActionResult<PriceEffect>>;
  onApply: (onDone: () => void) => void;
};

/** Shows the effect of what is selected, and then applies it. */
function ApplyBar({ count, note, isStale, pending, preview, onApply }: ApplyBarProps) {
  const t = useTranslations("priceSync");
  const { run } = useRunAction();
  const [latest] = useState(createLatest);
  const [effect, setEffect] = useState<ShownEffect | null>(null);
  const isTooMany = count > SELECTED_MAX;
  const onReview = () => {
    setEffect("loading");
    const show = latest.only((shown: ShownEffect) => setEffect(shown));
    run(preview, show, () => show("failed"));
  };
  const close = () => {
    latest.forget();
    setEffect(null);
  };
  return (
    <footer className="sticky bottom-0 z-10 flex flex-wrap items-center justify-end gap-x-3 gap-y-1 rounded-b-lg border-t bg-surface px-4 py-2.5">
      <span className="mr-auto text-muted-foreground text-xs" aria-live="polite">
        {isTooMany ? t("tooMany", { max: String(SELECTED_MAX) }) : t("selected", { count })}
      </span>
      <Button variant="primary" size="md" disabled={count === 0 || isTooMany || isStale} onClick={onReview}>
        {t("apply", { count })}
      </Button>
      {effect === null ? null : (
        <EffectDialog
          effect={effect}
          pending={pending}
          save={t("apply", { count })}
          note={note}
          onSave={() => onApply(close)}
          onClose={close}
        />
      )}
    </footer>
  );
}
