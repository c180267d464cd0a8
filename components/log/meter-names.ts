"use client";

import { useTranslations } from "next-intl";
import type { Meter } from "@/lib/meters";

const MILLION = 1_000_000;

export type MeterNames = {
  names: Record<Meter, string>;
  /** How many units a price is shown for: a character costs too little to be read. */
  unitsOf: (meter: Meter) => number;
  perUnit: (meter: Meter, price: string) => string;
};

/** The names of meters, and a price of each with its unit. */
export function useMeterNames(): MeterNames {
  const t = useTranslations("meter");
  return {
    names: {
      second: t("second"),
      character: t("character"),
      picture: t("picture"),
      page: t("page"),
      search: t("search"),
      request: t("request"),
    },
    unitsOf: (meter) => (meter === "character" ? MILLION : 1),
    perUnit: (meter, price) => t(`per.${meter}`, { price }),
  };
}
