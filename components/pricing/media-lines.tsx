"use client";

import { useTranslations } from "next-intl";
import { useMeterNames } from "@/components/format/meter-names";
import { useQuotaDisplay } from "@/components/format/quota-display";
import { toMediaAmounts } from "@/lib/billing/media-prices";
import type { PricedModel } from "@/lib/pricing/types";
import { priceText } from "./price-math";

/** What sound and pictures cost in a group, where that is not the price of text. */
export function MediaLines({ model, groupRatio }: { model: PricedModel; groupRatio: number }) {
  const textsOf = useMediaTexts(groupRatio);
  return textsOf(model).map((text) => <span key={text}>{text}</span>);
}

const MILLION = 1_000_000;

/** "Audio input $32 / 1M tokens" for each kind that has a price of its own. */
export function useMediaTexts(groupRatio: number): (model: PricedModel) => string[] {
  const t = useTranslations("pricing");
  const { labelOf } = useMeterNames();
  const display = useQuotaDisplay();
  return ({ media, completionRatio, modelRatio }) => {
    if (!media) return [];
    const { audioRatio = 1, ...others } = media;
    // The ratio of audio output is relative to that of audio input.
    const spoken = media.audioCompletionRatio ?? completionRatio / audioRatio;
    const isHeard = media.audioRatio !== undefined;
    const ratios = isHeard ? { ...others, audioRatio, audioCompletionRatio: spoken } : { ...others };
    return Object.entries(toMediaAmounts(ratios, modelRatio * groupRatio * MILLION)).map(([kind, quota]) =>
      t("mediaPrice", { kind: labelOf(kind), price: priceText(quota, display) }),
    );
  };
}
