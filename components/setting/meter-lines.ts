import { isMeterPrices, type Meter, type MeterPrices, meterKey, splitMeterKey } from "@/lib/meters";
import { isAmount } from "./row-editor";

/** A line of the editor; the texts may not be valid yet. */
export type MeterLine = { id: number; meter: Meter; variant: string; usd: string };

export function toMeterLines(prices: MeterPrices): MeterLine[] {
  return Object.entries(prices).flatMap(([key, usd], id) => {
    const read = splitMeterKey(key);
    return read ? [{ id, ...read, usd: decimalText(usd) }] : [];
  });
}

/** Whether the lines can be prices: each a number, and none twice. */
export function checkMeterLines(lines: readonly MeterLine[]): boolean {
  const prices = toMeterPrices(lines);
  const isWhole = Object.keys(prices).length === lines.length;
  return isWhole && lines.every(({ usd }) => isAmount(usd)) && isMeterPrices(prices);
}

export function toMeterPrices(lines: readonly MeterLine[]): MeterPrices {
  return Object.fromEntries(
    lines.map(({ meter, variant, usd }) => [meterKey({ meter, variant: variant.trim() }), Number(usd)]),
  );
}

/** Without exponent, so that the field takes it back. */
function decimalText(value: number): string {
  return value.toFixed(12).replace(/\.?0+$/, "");
}
