"use client";

import { useMeterNames } from "@/components/format/meter-names";
import { useQuotaDisplay } from "@/components/format/quota-display";
import type { WholePrice } from "@/lib/pricing/sync/compare-prices";
import { amountOf, meterAmountOf, meterKeysOf, type PriceField } from "./change-list";
import { priceText } from "./price-text";
import { ShiftText } from "./shift-text";

type Prices = { before: WholePrice | null; after: WholePrice | null };

/** One amount of a price before and after; nothing where neither price has it, so that a phone shows no empty line. */
export function priceShift({ before, after }: Prices, field: PriceField) {
  const amounts = { before: amountOf(before, field), after: amountOf(after, field) };
  return amounts.before === null && amounts.after === null ? null : <AmountShift {...amounts} />;
}

/** The prices of meters before and after. */
export function MeterShifts(prices: Prices) {
  const { labelOf } = useMeterNames();
  const keys = meterKeysOf(prices);
  if (keys.length === 0) return null;
  return (
    <span className="inline-flex flex-col items-end gap-1">
      {keys.map((key) => (
        <span key={key} className="inline-flex flex-wrap items-baseline justify-end gap-x-1.5">
          <span className="text-muted-foreground text-xs">{labelOf(key)}</span>
          <AmountShift before={meterAmountOf(prices.before, key)} after={meterAmountOf(prices.after, key)} />
        </span>
      ))}
    </span>
  );
}

function AmountShift({ before, after }: { before: number | null; after: number | null }) {
  const { symbol } = useQuotaDisplay();
  return <ShiftText before={before} after={after} text={(amount) => priceText(amount, symbol)} />;
}
