import { ROLE, requireRole, type ServiceContext } from "@/lib/context";
import { egressFetch } from "@/lib/egress";
import { AppError } from "@/lib/errors";
import type { MeterPrices } from "@/lib/meters";
import { listEnabledModels } from "@/lib/model/queries";
import { readOptionTexts } from "@/lib/option/queries";
import { parseInput } from "@/lib/validation";
import { priceOptions } from "../price-options";
import { comparePrices, type PriceChange } from "./compare-prices";
import { isRefused, type Offer, type OfferedPrice, type ReadEntry, type RefusedEntry, toEntry } from "./offer";
import { PRICE_KEYS, stateOf } from "./price-state";
import { type PriceListFormat, readPriceList } from "./read-price-list";
import { type PriceListInput, priceListUrlSchema } from "./schemas";

/** As exact as the price editor. */
const DIGITS = 12;

/** An offer in the site's currency, of which a dollar is worth `rate`; refused like one of a list if it is no price then. Pure. */
export function convertOffer(offer: Offer, rate: number): ReadEntry {
  return rate === 1 ? offer : toEntry(offer.model, convertPrice(offer.price, rate), offer.isPartial);
}

function convertPrice(price: OfferedPrice, rate: number): OfferedPrice {
  const times = (amount: number) => Number((amount * rate).toPrecision(DIGITS));
  const maybe = (amount: number | null) => (amount === null ? null : times(amount));
  const all = (amounts: MeterPrices): MeterPrices =>
    Object.fromEntries(Object.entries(amounts).map(([key, amount]) => [key, times(amount)]));
  if (price.kind === "call") return { kind: "call", call: times(price.call) };
  if (price.kind === "meters") return { kind: "meters", meters: all(price.meters) };
  const { input, output, cached, cacheWrite, media, meters } = price;
  return {
    kind: "tokens",
    input: times(input),
    output: maybe(output),
    cached: maybe(cached),
    cacheWrite: maybe(cacheWrite),
    ...(media ? { media: all(media) } : {}),
    ...(meters ? { meters: all(meters) } : {}),
  };
}

/** LiteLLM's list has 3 MiB. Reading 8 MiB keeps the process busy for about a tenth of a second. */
const BODY_BYTES_MAX = 8 * 1_024 * 1_024;
const TIMEOUT_MS = 20_000;
const REDIRECTS_MAX = 3;

export type PriceComparison = {
  format: PriceListFormat;
  /** What a dollar of the list counts as in the site's currency. */
  rate: number;
  /** To be sent back, so that only what was shown is applied. */
  state: string;
  changes: PriceChange[];
  unchanged: number;
  refused: RefusedEntry[];
};

/**
 * Fetches a price list and compares it with the prices in force; nothing is written (root only). Throws invalid for an
 * address that is not allowed, upstream for a list that cannot be had or read.
 */
export async function comparePriceList(
  ctx: ServiceContext,
  input: PriceListInput,
  { timeoutMs = TIMEOUT_MS }: { timeoutMs?: number } = {},
): Promise<PriceComparison> {
  requireRole(ctx, ROLE.root);
  const { url, rate } = parseInput(priceListUrlSchema, input);
  const list = readPriceList(await fetchText(url, timeoutMs));
  const offers: Offer[] = [];
  const refused: RefusedEntry[] = [...list.refused];
  for (const entry of list.offers.map((offer) => convertOffer(offer, rate)))
    if (isRefused(entry)) refused.push(entry);
    else offers.push(entry);
  const [texts, served] = await Promise.all([readOptionTexts(ctx.db, PRICE_KEYS), listEnabledModels(ctx)]);
  const options = priceOptions(texts);
  return {
    format: list.format,
    rate,
    state: stateOf(texts),
    refused,
    ...comparePrices(offers, options, new Set(served)),
  };
}

/** Root may name an address in a private network, as for channels. */
async function fetchText(url: string, timeoutMs: number): Promise<string> {
  const { status, body } = await egressFetch(url, {
    trust: "operator",
    headers: { accept: "application/json" },
    redirects: REDIRECTS_MAX,
    maxBytes: BODY_BYTES_MAX,
    timeoutMs,
  });
  if (status !== 200) throw new AppError("upstream", "priceListStatus", { status });
  return body.toString("utf8");
}
