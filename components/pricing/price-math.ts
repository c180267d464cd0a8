import { formatDecimal, formatNumber, type QuotaDisplay } from "@/components/format/quota";
import type { Modality } from "@/lib/billing/modality";
import type { PricedModel } from "@/lib/pricing/types";

const MILLION = 1_000_000;
/** Decimals of displayed completion ratios. */
const RATIO_DIGITS = 3;

/** Prices in a group. Billed by tokens: quota per million tokens; billed by call: quota per call. */
export type GroupPrice = { prompt: number; completion: number; cached: number; call: number };

/**
 * Prices of a model in a group, in quota (decision T4): a million prompt tokens cost model ratio × group ratio × 1,000,000
 * quota, completion tokens that times the completion ratio; a call costs its price × group ratio × quotaPerUnit.
 */
export function groupPrice(model: PricedModel, groupRatio: number, quotaPerUnit: number): GroupPrice {
  const prompt = model.modelRatio * groupRatio * MILLION;
  return {
    prompt,
    completion: prompt * model.completionRatio,
    cached: prompt * model.cacheRatio,
    call: model.modelPrice * groupRatio * quotaPerUnit,
  };
}

/** A price for display: money without trailing zeros, also converted where the site has a second currency; or quota. */
export function priceText(quota: number, display: QuotaDisplay): string {
  if (!display.inCurrency) return formatNumber(Number(formatDecimal(quota, 2)));
  const price = quota / display.quotaPerUnit;
  const { symbol, second } = display;
  const text = `${symbol}${formatDecimal(price)}`;
  return second ? `${text} (≈ ${second.symbol}${formatDecimal(price * second.rate)})` : text;
}

export function ratioText(ratio: number): string {
  return formatDecimal(ratio, RATIO_DIGITS);
}

export const PRICE_SORTS = ["usual", "name", "cheap", "dear", "context", "output"] as const;
export type PriceSort = (typeof PRICE_SORTS)[number];

export type PriceFilter = {
  search: string;
  /** A channel type; null = all. */
  vendor: number | null;
  billing: "usage" | "call" | null;
  /** Only models that take this kind of content; null = all. */
  input: Modality | null;
  /** Only models available to the selected group. */
  onlyAvailable: boolean;
};

/** The models that match a filter, sorted; "usual" keeps the server's order (gpt first, then by name). */
export function chooseModels(
  models: readonly PricedModel[],
  filter: PriceFilter,
  sort: PriceSort,
  group: string,
): PricedModel[] {
  const wanted = filter.search.trim().toLowerCase();
  const left = models.filter(
    (model) =>
      model.modelName.toLowerCase().includes(wanted) &&
      (filter.vendor === null || model.channelTypes.includes(filter.vendor)) &&
      (filter.input === null || model.facts.input?.includes(filter.input) === true) &&
      (filter.billing === null || model.perCall === (filter.billing === "call")) &&
      (!filter.onlyAvailable || model.groups.includes(group)),
  );
  if (sort === "usual") return left;
  const byName = (a: PricedModel, b: PricedModel) => a.modelName.localeCompare(b.modelName);
  if (sort === "name") return left.sort(byName);
  if (sort === "context")
    return left.sort((a, b) => tokens(b, "contextTokens") - tokens(a, "contextTokens") || byName(a, b));
  if (sort === "output")
    return left.sort((a, b) => tokens(b, "maxOutputTokens") - tokens(a, "maxOutputTokens") || byName(a, b));
  const direction = sort === "cheap" ? 1 : -1;
  // Prices of different units cannot be compared: models by tokens come first, those by call next, other units last.
  const rank = (model: PricedModel) => (model.metersOnly ? 2 : model.perCall ? 1 : 0);
  return left.sort(
    (a, b) =>
      rank(a) - rank(b) ||
      (a.perCall ? a.modelPrice - b.modelPrice : a.modelRatio - b.modelRatio) * direction ||
      byName(a, b),
  );
}

/** An unknown number comes last. */
function tokens({ facts }: PricedModel, field: "contextTokens" | "maxOutputTokens"): number {
  return facts[field] ?? 0;
}
