import type { MediaAmounts } from "@/lib/billing/media-prices";
import type { MeterPrices } from "@/lib/meters";
import {
  asObject,
  type Json,
  own,
  type ReadEntry,
  ratiosToPrice,
  readAmount,
  readMediaRatios,
  readMeters,
  toEntry,
  withMedia,
  withMeters,
} from "./offer";

/** The `format` of a price list that Weir exports. */
export const WEIR_FORMAT = "weir-prices";
const QUOTA_PER_UNIT = 500_000;

/** Reads an export of Weir. */
export function readWeirList(list: Json): ReadEntry[] {
  const unit = readAmount(own(list, "quota_per_unit")) ?? QUOTA_PER_UNIT;
  return Object.entries(asObject(own(list, "models")) ?? {}).map(([model, value]) => {
    const entry = asObject(value);
    if (!entry) return toEntry(model, "shape");
    const [ratio, completion, cache, createCache, price] = [
      "ratio",
      "completion",
      "cache",
      "create_cache",
      "price",
    ].map((name) => own(entry, name));
    const meters = readMeters(own(entry, "meters"));
    const media = readMediaRatios((wire) => own(entry, wire.replace(/_ratio$/, "")), readAmount(ratio), unit);
    return readFields(model, [ratio, completion, cache, createCache, price], unit, { meters, media });
  });
}

/** Reads rows as in lib/billing/default-prices.json: model → [ratio, completion, cache, cache write, price per call]. */
export function readWeirRows(list: Json): ReadEntry[] {
  return Object.entries(list).map(([model, row]) =>
    Array.isArray(row) ? readFields(model, row, QUOTA_PER_UNIT) : toEntry(model, "shape"),
  );
}

function readFields(
  model: string,
  fields: readonly unknown[],
  quotaPerUnit: number,
  { meters, media }: { meters: MeterPrices | null; media: MediaAmounts } = { meters: null, media: {} },
): ReadEntry {
  const [ratio = null, completion = null, cache = null, createCache = null, price = null] = fields.map(readAmount);
  if (price !== null) return toEntry(model, { kind: "call", call: price });
  if (meters && ratio === null) return toEntry(model, { kind: "meters", meters });
  const tokens = ratiosToPrice({ ratio, completion, cache, createCache }, quotaPerUnit);
  return toEntry(model, withMeters(withMedia(tokens, media), meters));
}
