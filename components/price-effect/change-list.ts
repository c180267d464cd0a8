import { MEDIA_RATIOS, type MediaAmount, type MediaAmounts } from "@/lib/billing/media-prices";
import type { MeterPrices } from "@/lib/meters";
import type { PriceChange, WholePrice } from "@/lib/pricing/sync/compare-prices";

export type ChangeKind = "all" | "new" | "changed";
export type ChangeFilter = { search: string; kind: ChangeKind; onlyServed: boolean };

export const PRICE_FIELDS = ["input", "output", "cached", "cacheWrite", "call"] as const;
export type PriceField = (typeof PRICE_FIELDS)[number];

export function isNew({ before }: PriceChange): boolean {
  return before === null;
}

/** Nothing is charged for the model any more, or from the beginning. */
export function isFree({ after }: PriceChange): boolean {
  if (after.kind === "call") return after.call === 0;
  const isUnmetered = Object.values(after.meters ?? {}).every((amount) => amount === 0);
  return isUnmetered && (after.kind === "meters" || (after.input === 0 && after.output === 0));
}

export function filterChanges(changes: readonly PriceChange[], filter: ChangeFilter): PriceChange[] {
  const wanted = filter.search.trim().toLowerCase();
  return changes.filter(
    (change) =>
      change.model.toLowerCase().includes(wanted) &&
      (filter.kind === "all" || isNew(change) === (filter.kind === "new")) &&
      (!filter.onlyServed || change.isServed),
  );
}

/** A price of a model in USD; null = it has no such price. */
export function amountOf(price: WholePrice | null, field: PriceField): number | null {
  if (!price) return null;
  if (field === "call") return price.kind === "call" ? price.call : null;
  return price.kind === "tokens" ? price[field] : null;
}

/** The meters of either price, in the order of the new one. */
export function meterKeysOf({ before, after }: { before: WholePrice | null; after: WholePrice | null }): string[] {
  return [...new Set([...Object.keys(metersOf(after)), ...Object.keys(metersOf(before))])];
}

/** USD per unit of a meter; null = it has no such price. */
export function meterAmountOf(price: WholePrice | null, key: string): number | null {
  return metersOf(price)[key] ?? null;
}

/** The prices beside those of text: tokens of sound and pictures, and meters. */
export function metersOf(price: WholePrice | null): MeterPrices {
  if (!price || price.kind === "call") return {};
  return price.kind === "meters" ? price.meters : { ...mediaAmounts(price), ...price.meters };
}

export function mediaAmounts(price: MediaAmounts): MeterPrices {
  const given = MEDIA_RATIOS.map(({ amount }) => [amount, price[amount]] as const);
  return Object.fromEntries(given.filter((entry): entry is [MediaAmount, number] => entry[1] !== undefined));
}

/** By how many percent a price changes; null where that cannot be said. */
export function percentOf(before: number | null, after: number | null): number | null {
  return before === null || after === null || before === 0 ? null : ((after - before) / before) * 100;
}

/** "+12.5%", "-3%", with fewer digits the larger it is. */
export function percentText(percent: number): string {
  const size = Math.abs(percent);
  const digits = size >= 100 ? 0 : size >= 1 ? 1 : 4;
  return `${percent > 0 ? "+" : ""}${Number(percent.toFixed(digits))}%`;
}
