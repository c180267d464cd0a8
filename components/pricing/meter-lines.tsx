"use client";

import { useMeterNames } from "@/components/format/meter-names";
import { useQuotaDisplay } from "@/components/format/quota-display";
import { type MeterPrices, splitMeterKey } from "@/lib/meters";
import { priceText } from "./price-math";

/** The prices of a model's meters in a group, with their units. */
export function MeterLines({ prices, groupRatio }: { prices: MeterPrices; groupRatio: number }) {
  const textOf = useMeterTexts(groupRatio);
  return Object.entries(prices).map(([key, usd]) => <span key={key}>{textOf(key, usd)}</span>);
}

/** A meter's price in a group: "0.08 / picture (1024x1024:hd)" behind the symbol. */
export function useMeterTexts(groupRatio: number): (key: string, usd: number) => string {
  const { unitsOf, perUnit } = useMeterNames();
  const display = useQuotaDisplay();
  return (key, usd) => {
    const read = splitMeterKey(key);
    if (!read) return key;
    const quota = usd * unitsOf(read.meter) * groupRatio * display.quotaPerUnit;
    const text = perUnit(read.meter, priceText(quota, display));
    return read.variant === "" ? text : `${text} (${read.variant})`;
  };
}
