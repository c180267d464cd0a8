import type { QuotaDisplay } from "@/components/format/quota";

const DIGITS = 6;
const RATE_MAX = 1_000_000;

/** Whether a symbol says that amounts are in US dollars. */
export function isDollar(symbol: string): boolean {
  return /^(us)?\s*\$$|^usd$/i.test(symbol.trim());
}

/** What a dollar is worth here, as far as it is known: by the second currency where that is the dollar. */
export function knownDollarRate({ symbol, second }: Pick<QuotaDisplay, "symbol" | "second">): string {
  if (isDollar(symbol) || !second || !isDollar(second.symbol)) return "1";
  return String(Number((1 / second.rate).toPrecision(DIGITS)));
}

/** Null for what is no rate. */
export function parseRate(text: string): number | null {
  const plain = text.trim().replace(",", ".");
  const rate = /^\d+(\.\d+)?$/.test(plain) ? Number(plain) : 0;
  return rate >= 1 / RATE_MAX && rate <= RATE_MAX ? rate : null;
}
