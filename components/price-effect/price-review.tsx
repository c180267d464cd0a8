"use client";

import { useEffect, useState } from "react";
import { useRunAction } from "@/components/form/use-run-action";
import type { OptionChange } from "@/lib/option/types";
import type { PriceDraftInput } from "@/lib/pricing/effect/schemas";
import { previewDraft } from "./actions";
import { EffectDialog, type ShownEffect } from "./effect-dialog";
import { registerReview } from "./review-prices";

type Asked = { effect: ShownEffect; answer: (save: boolean) => void };

/** Shows the effect of prices before they are saved, on every page where it stands. `keys`: the options that have one. */
export function PriceReview({ keys }: { keys: readonly string[] }) {
  const [asked, setAsked] = useState<Asked | null>(null);
  const { run } = useRunAction();
  useEffect(
    () =>
      registerReview((changes: readonly OptionChange[]) => {
        const ofPrices = changes.filter(({ key }) => keys.includes(key)).map(({ key, value }) => ({ key, value }));
        if (ofPrices.length === 0) return Promise.resolve(true);
        return new Promise((answer) => {
          setAsked({ effect: "loading", answer });
          const show = (effect: ShownEffect) => setAsked((now) => (now?.answer === answer ? { effect, answer } : now));
          run(
            () => previewDraft({ changes: ofPrices as PriceDraftInput["changes"] }),
            show,
            () => show("failed"),
          );
        });
      }),
    [keys, run],
  );
  if (!asked) return null;
  const close = (save: boolean) => {
    asked.answer(save);
    setAsked(null);
  };
  return <EffectDialog effect={asked.effect} pending={false} onSave={() => close(true)} onClose={() => close(false)} />;
}
