import { AppError } from "@/lib/errors";
import { asObject, isRefused, type Json, type Offer, own, type ReadEntry, type RefusedEntry } from "./offer";
import { readPricingRows, readRatioMaps } from "./read-family-list";
import { readLitellmList } from "./read-litellm-list";
import { readWeirList, readWeirRows, WEIR_FORMAT } from "./read-weir-list";

/** More than twice of the longest list there is. */
export const ENTRIES_MAX = 10_000;
const FORMAT_SAMPLE = 20;

export type PriceListFormat = "weir" | "pricing" | "ratios" | "litellm";

export type ReadPriceList = { format: PriceListFormat; offers: Offer[]; refused: RefusedEntry[] };

/**
 * Reads a price list in one of the formats of lib/pricing/README.md. Pure. Throws AppError "upstream" for text that is
 * no JSON, of no known format, or with too many entries.
 */
export function readPriceList(text: string): ReadPriceList {
  const { format, count, read } = recognize(parse(text));
  if (count > ENTRIES_MAX) throw new AppError("upstream", "priceListTooLong", { count, max: ENTRIES_MAX });
  const offers = new Map<string, Offer>();
  const refused: RefusedEntry[] = [];
  for (const entry of read()) {
    if (isRefused(entry)) refused.push(entry);
    // Two prices of one model: nobody knows which is meant.
    else if (offers.has(entry.model)) refused.push({ model: entry.model, reason: "duplicate" });
    else offers.set(entry.model, entry);
  }
  const twice = new Set(refused.filter(({ reason }) => reason === "duplicate").map(({ model }) => model));
  return { format, offers: [...offers.values()].filter(({ model }) => !twice.has(model)), refused: once(refused) };
}

function once(refused: readonly RefusedEntry[]): RefusedEntry[] {
  return [...new Map(refused.map((entry) => [`${entry.reason} ${entry.model}`, entry])).values()];
}

function parse(text: string): Json {
  let value: unknown;
  try {
    value = JSON.parse(text.startsWith("\ufeff") ? text.slice(1) : text);
  } catch (error) {
    throw new AppError("upstream", "priceListNotJson", {}, error);
  }
  const list = asObject(value);
  if (!list) throw new AppError("upstream", "priceListUnknown");
  return list;
}

type Recognized = { format: PriceListFormat; count: number; read: () => ReadEntry[] };

function recognize(list: Json): Recognized {
  if (own(list, "format") === WEIR_FORMAT) {
    const models = asObject(own(list, "models")) ?? {};
    return { format: "weir", count: Object.keys(models).length, read: () => readWeirList(list) };
  }
  const data = own(list, "data");
  if (Array.isArray(data)) return { format: "pricing", count: data.length, read: () => readPricingRows(data) };
  const maps = [asObject(data), list].find((each) => asObject(own(each, "model_ratio") ?? own(each, "model_price")));
  if (maps) return { format: "ratios", count: countOf(maps), read: () => readRatioMaps(maps) };
  const entries = Object.values(list);
  const sample = entries.slice(0, FORMAT_SAMPLE);
  if (sample.length > 0 && sample.every(Array.isArray))
    return { format: "weir", count: entries.length, read: () => readWeirRows(list) };
  if (sample.some((entry) => isLitellm(asObject(entry))))
    return { format: "litellm", count: entries.length, read: () => readLitellmList(list) };
  throw new AppError("upstream", "priceListUnknown");
}

function countOf(maps: Json): number {
  return Math.max(...Object.values(maps).map((map) => Object.keys(asObject(map) ?? {}).length));
}

function isLitellm(entry: Json | null): boolean {
  return own(entry, "litellm_provider") !== undefined || own(entry, "input_cost_per_token") !== undefined;
}
