import { MEDIA_RATIOS, toMediaRatios } from "@/lib/billing/media-prices";
import { AppError } from "@/lib/errors";
import { parseOption } from "@/lib/option/registry";
import type { OptionChange } from "@/lib/option/types";
import { isRefused, type Offer, type OfferedPrice, toEntry } from "./offer";
import type { PriceTexts } from "./price-state";
import type { PriceTuple } from "./schemas";

const UNIT_TOKENS = 1_000_000;
/** As exact as the price editor. */
const DIGITS = 12;
const RATIO_MIN = 1e-9;
const RATIO_MAX = 1e9;

function priceOf([, call, input, output, cached, cacheWrite, meters, given]: PriceTuple): OfferedPrice | null {
  if (call !== null) return { kind: "call", call };
  if (input === null) return meters ? { kind: "meters", meters } : null;
  const media = Object.fromEntries(Object.entries(given ?? {}).filter(([, amount]) => amount !== undefined));
  const tokens = { kind: "tokens", input, output, cached, cacheWrite, ...(meters ? { meters } : {}) } as const;
  return given ? { ...tokens, media } : tokens;
}

/** Throws invalid for a price that a list could not offer either. */
export function readOffer(tuple: PriceTuple): Offer {
  const [model] = tuple;
  const price = priceOf(tuple);
  const entry = toEntry(model, price ?? "inputMissing");
  if (isRefused(entry)) throw new AppError("invalid", "priceRefused", { model: entry.model });
  return entry;
}

const MAPS = [
  "ModelPrice",
  "ModelRatio",
  "CompletionRatio",
  "CacheRatio",
  "CreateCacheRatio",
  ...MEDIA_RATIOS.map(({ option }) => option),
] as const;
type MapKey = (typeof MAPS)[number];

/** What has to be saved so that these prices apply. */
export function toChanges(texts: PriceTexts, offers: readonly Offer[]): OptionChange[] {
  const maps = new Map(MAPS.map((key) => [key, new Map(Object.entries(parseOption(key, texts[key])))]));
  const quotaPerUnit = parseOption("QuotaPerUnit", texts.QuotaPerUnit);
  const meters = new Map(Object.entries(parseOption("ModelMeterPrices", texts.ModelMeterPrices)));
  for (const { model, price } of offers) {
    if (price.kind === "call") meters.delete(model);
    else if (price.meters) meters.set(model, price.meters);
    const entries = entriesOf(price, quotaPerUnit);
    if (!isExact(entries.ModelRatio ?? 0)) throw new AppError("invalid", "priceRefused", { model });
    for (const [key, value] of Object.entries(entries) as [MapKey, number | null][]) {
      if (value === null) maps.get(key)?.delete(model);
      else maps.get(key)?.set(model, value);
    }
  }
  const changes = MAPS.map((key) => ({ key, value: JSON.stringify(Object.fromEntries(maps.get(key) ?? [])) }));
  return [...changes, { key: "ModelMeterPrices", value: JSON.stringify(Object.fromEntries(meters)) }];
}

const NO_RATIOS = Object.fromEntries(MAPS.filter((key) => key !== "ModelPrice").map((key) => [key, null]));

/** What each map is to have; null = no entry. A price per call goes without ratios (A134). */
function entriesOf(price: OfferedPrice, quotaPerUnit: number): Partial<Record<MapKey, number | null>> {
  if (price.kind === "call") return { ModelPrice: price.call, ...NO_RATIOS };
  if (price.kind === "meters") return { ModelPrice: null, ...NO_RATIOS };
  const { input, output, cached, cacheWrite, media = {} } = price;
  // Of what is free every part is free, whatever the ratios.
  const ratio = (amount: number | null) => (amount === null || input === 0 ? undefined : exact(amount / input));
  const optional = { CompletionRatio: ratio(output), CacheRatio: ratio(cached), CreateCacheRatio: ratio(cacheWrite) };
  const ofMedia = toMediaRatios(media, input);
  for (const { option, field } of MEDIA_RATIOS) {
    const value = ofMedia[field];
    if (value !== undefined) Object.assign(optional, { [option]: exact(value) });
  }
  const given = Object.entries(optional).filter(([, value]) => value !== undefined);
  return { ModelPrice: null, ModelRatio: exact((input * quotaPerUnit) / UNIT_TOKENS), ...Object.fromEntries(given) };
}

/** An unusual unit can make ratios so small or large that they lose digits. */
function isExact(ratio: number): boolean {
  return ratio === 0 || (ratio >= RATIO_MIN && ratio <= RATIO_MAX);
}

function exact(value: number): number {
  return Number(value.toPrecision(DIGITS));
}
