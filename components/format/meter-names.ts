"use client";

import { useTranslations } from "next-intl";
import type { MediaAmount } from "@/lib/billing/media-prices";
import { type Meter, splitMeterKey } from "@/lib/meters";

const MILLION = 1_000_000;

export type MeterNames = {
  names: Record<Meter, string>;
  /** How many units a price is shown for: a character costs too little to be read. */
  unitsOf: (meter: Meter) => number;
  perUnit: (meter: Meter, price: string) => string;
  /** A key of prices: the meter's name and the variant; or a kind of tokens that is not text. */
  labelOf: (key: string) => string;
};

/** The names of meters, and a price of each with its unit. */
export function useMeterNames(): MeterNames {
  const t = useTranslations("meter");
  const names: Record<Meter, string> = {
    second: t("second"),
    character: t("character"),
    picture: t("picture"),
    page: t("page"),
    search: t("search"),
    request: t("request"),
  };
  const media: Record<MediaAmount, string> = {
    audio: t("audio"),
    audioOut: t("audioOut"),
    audioCached: t("audioCached"),
    image: t("image"),
    imageCached: t("imageCached"),
  };
  return {
    names,
    unitsOf: (meter) => (meter === "character" ? MILLION : 1),
    perUnit: (meter, price) => t(`per.${meter}`, { price }),
    labelOf: (key) => {
      const { meter, variant } = splitMeterKey(key) ?? { meter: null, variant: "" };
      if (meter) return `${names[meter]} ${variant}`.trim();
      return Object.hasOwn(media, key) ? media[key as MediaAmount] : key;
    },
  };
}
