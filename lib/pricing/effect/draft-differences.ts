import { parseObject } from "@/lib/audit/difference";
import type { OptionValues } from "@/lib/option/registry";
import { priceOptions } from "../price-options";
import { priceInForce } from "../sync/compare-prices";
import { PRICE_KEYS, type PriceTexts } from "../sync/price-state";
import type { PriceDifference, PriceEffect } from "./types";

/** Models that have other entries in a draft, whatever their price then is. */
export function changedModels(before: PriceTexts, after: PriceTexts): string[] {
  const models = new Set<string>();
  for (const key of PRICE_KEYS) {
    if (before[key] === after[key]) continue;
    const [old, next] = [parseObject(before[key]) ?? {}, parseObject(after[key]) ?? {}];
    for (const model of new Set([...Object.keys(old), ...Object.keys(next)])) {
      if (JSON.stringify(own(old, model)) !== JSON.stringify(own(next, model))) models.add(model);
    }
  }
  return [...models];
}

/** The prices of those models that a draft makes dearer, cheaper or otherwise; those that are served come first. */
export function listDifferences(
  models: readonly string[],
  texts: { before: PriceTexts; after: PriceTexts },
  served: ReadonlySet<string>,
): PriceDifference[] {
  const [before, after] = [priceOptions(texts.before), priceOptions(texts.after)];
  const rows = models.map((model) => ({
    model,
    before: priceInForce(model, before),
    after: priceInForce(model, after),
    isServed: served.has(model),
  }));
  return rows
    .filter((row) => JSON.stringify(row.before) !== JSON.stringify(row.after))
    .toSorted((one, other) => Number(other.isServed) - Number(one.isServed));
}

/** All groups of either map, in their order. */
export function compareGroups(
  before: OptionValues["GroupRatio"],
  after: OptionValues["GroupRatio"],
): PriceEffect["groups"] {
  return [...new Set([...Object.keys(before), ...Object.keys(after)])].map((name) => {
    return { name, before: own(before, name) ?? null, after: own(after, name) ?? null };
  });
}

function own<Value>(map: Readonly<Record<string, Value>>, name: string): Value | undefined {
  return Object.hasOwn(map, name) ? map[name] : undefined;
}
