import { resolvePrice } from "@/lib/billing/resolve-price";
import type { PriceRow } from "@/lib/billing/types";
import type { MeterPrices } from "@/lib/meters";
import { parseOption } from "@/lib/option/registry";
import type { OptionChange } from "@/lib/option/types";
import { priceOptions } from "../price-options";
import type { PriceTexts } from "../sync/price-state";
import { readOffer, toChanges } from "../sync/to-changes";
import type { Adjustment } from "./schemas";

/** A raised or lowered price is rounded to so many significant digits. */
export const ADJUSTED_DIGITS = 6;

export type Adjusted = {
  changes: OptionChange[];
  /** Models without a price, which a percentage leaves without one. */
  unpriced: string[];
};

/**
 * What has to be saved so that the prices of a selection change as said. A percentage changes the model ratio, the price
 * per call, or the price of each meter; the other ratios are relative to the model ratio and stay. Pure.
 */
export function adjustPrices(texts: PriceTexts, models: readonly string[], adjustment: Adjustment): Adjusted {
  if (adjustment.kind === "percent") return adjustByPercent(texts, models, adjustment.percent);
  const tuple = (model: string) =>
    adjustment.kind === "call"
      ? readOffer([model, adjustment.call, null, null, null, null])
      : readOffer([model, null, adjustment.input, adjustment.output, null, null]);
  return { changes: toChanges(texts, models.map(tuple)), unpriced: [] };
}

const MAPS = ["ModelMeterPrices", "ModelPrice", "ModelRatio"] as const;

function adjustByPercent(texts: PriceTexts, models: readonly string[], percent: number): Adjusted {
  const options = priceOptions(texts);
  const maps = {
    ModelPrice: new Map(Object.entries(options.ModelPrice)),
    ModelRatio: new Map(Object.entries(options.ModelRatio)),
    ModelMeterPrices: new Map(Object.entries(parseOption("ModelMeterPrices", texts.ModelMeterPrices))),
  };
  const unpriced: string[] = [];
  const raise = (value: number) => raiseBy(value, percent);
  for (const model of new Set(models)) {
    const row = resolvePrice(model, 1, options);
    if (!row) unpriced.push(model);
    else if (row.modelPrice !== null) maps.ModelPrice.set(model, raise(row.modelPrice));
    else {
      if (row.meterPrices) maps.ModelMeterPrices.set(model, raiseMeters(row.meterPrices, raise));
      if (hasTokenPrice(row)) maps.ModelRatio.set(model, raise(row.modelRatio));
    }
  }
  const changes = MAPS.map((key) => ({ key, value: JSON.stringify(Object.fromEntries(maps[key])) }));
  return { changes: changes.filter(({ key, value }) => value !== compact(texts[key])), unpriced };
}

function hasTokenPrice(row: PriceRow): boolean {
  return row.metersOnly !== true;
}

function raiseBy(value: number, percent: number): number {
  return Number(((value * (100 + percent)) / 100).toPrecision(ADJUSTED_DIGITS));
}

function raiseMeters(meters: MeterPrices, raise: (value: number) => number): MeterPrices {
  return Object.fromEntries(Object.entries(meters).map(([key, value]) => [key, raise(value)]));
}

function compact(text: string): string {
  return JSON.stringify(JSON.parse(text));
}
