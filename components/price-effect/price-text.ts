import { formatDecimal } from "@/components/format/quota";
import type { WholePrice } from "@/lib/pricing/sync/compare-prices";
import { mediaAmounts, type PriceField } from "./change-list";

/** Prices below a dollar per million tokens have as many digits as they need. */
const DIGITS = 10;

export function priceText(amount: number, symbol: string): string {
  return `${symbol}${formatDecimal(Number(amount.toPrecision(6)), DIGITS)}`;
}

/** The price for a group. */
export function timesRatio(price: WholePrice | null, ratio: number | null): WholePrice | null {
  if (!price || ratio === null) return null;
  const meters = (map: Readonly<Record<string, number>>) =>
    Object.fromEntries(Object.entries(map).map(([key, value]) => [key, value * ratio]));
  if (price.kind === "call") return { kind: "call", call: price.call * ratio };
  if (price.kind === "meters") return { kind: "meters", meters: meters(price.meters) };
  const { input, output, cached, cacheWrite } = price;
  return {
    kind: "tokens",
    input: input * ratio,
    output: output * ratio,
    cached: cached * ratio,
    cacheWrite: cacheWrite * ratio,
    ...meters(mediaAmounts(price)),
    ...(price.meters ? { meters: meters(price.meters) } : {}),
  };
}

/** The columns that any of the prices needs. */
export const EFFECT_FIELDS = [
  "input",
  "output",
  "cached",
  "cacheWrite",
  "call",
] as const satisfies readonly PriceField[];
