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

/** Of gateways of this family, unless their answer says another. */
const QUOTA_PER_UNIT = 500_000;
/** The ratio that this family shows for a model without a price (contract §5.3), together with a completion ratio of 1. */
const UNPRICED_RATIO = 37.5;
const BY_CALL = 1;
const BY_TOKENS = 0;

/** Reads the rows of `/api/pricing`. */
export function readPricingRows(rows: readonly unknown[]): ReadEntry[] {
  return rows.map((row) => {
    const entry = asObject(row);
    const model = own(entry, "model_name");
    return typeof model === "string" ? readRow(model, entry) : toEntry("?", "shape");
  });
}

function readRow(model: string, row: Json | null): ReadEntry {
  const kind = own(row, "quota_type");
  if (kind === BY_CALL) return readCall(model, own(row, "model_price"));
  if (kind !== BY_TOKENS) return toEntry(model, "shape");
  const meters = readMeters(own(row, "meter_prices"));
  // Weir's own page has a ratio of 0 for models without a price of tokens.
  if (meters && readAmount(own(row, "model_ratio")) === 0) return toEntry(model, { kind: "meters", meters });
  return readRatios(model, (name) => own(row, name), meters);
}

function readCall(model: string, value: unknown): ReadEntry {
  const call = readAmount(value);
  return toEntry(model, call === null ? "inputMissing" : { kind: "call", call });
}

function readRatios(model: string, valueAt: (name: string) => unknown, meters: MeterPrices | null = null): ReadEntry {
  const ratio = readAmount(valueAt("model_ratio"));
  const completion = readAmount(valueAt("completion_ratio"));
  if (ratio === UNPRICED_RATIO && completion === 1) return toEntry(model, "unpriced");
  const cache = readAmount(valueAt("cache_ratio"));
  const createCache = readAmount(valueAt("create_cache_ratio"));
  const tokens = ratiosToPrice({ ratio, completion, cache, createCache }, QUOTA_PER_UNIT);
  const media = readMediaRatios(valueAt, ratio, QUOTA_PER_UNIT);
  return toEntry(model, withMeters(withMedia(tokens, media), meters));
}

/** Reads the maps of `/api/ratio_config`. A fixed price comes before a ratio. */
export function readRatioMaps(maps: Json): ReadEntry[] {
  const mapOf = (name: string) => asObject(own(maps, name));
  const prices = mapOf("model_price");
  const names = new Set(
    ["model_price", "model_ratio", "completion_ratio"].flatMap((map) => Object.keys(mapOf(map) ?? {})),
  );
  return [...names].map((model) => {
    const call = own(prices, model);
    if (call !== undefined) return readCall(model, call);
    return readRatios(model, (name) => own(mapOf(name), model));
  });
}
