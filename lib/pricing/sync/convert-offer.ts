import type { MeterPrices } from "@/lib/meters";
import { type Offer, type OfferedPrice, type ReadEntry, toEntry } from "./offer";

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
