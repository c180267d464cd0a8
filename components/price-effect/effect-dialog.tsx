"use client";

import { useTranslations } from "next-intl";
import { Modal } from "@/components/overlay/modal";
import { Button } from "@/components/ui/button";
import { later, useLater } from "@/components/ui/later";
import { Skeleton } from "@/components/ui/skeleton";
import type { PriceEffect } from "@/lib/pricing/effect/types";

/** Loaded while the effect is computed. */
const effectCode = later(() => import("./effect-view").then(({ EffectView }) => EffectView));

/** "loading" until the effect is there; "failed" = it could not be computed, which does not prevent saving. */
export type ShownEffect = PriceEffect | "loading" | "failed";

type EffectDialogProps = {
  effect: ShownEffect;
  pending: boolean;
  onSave: () => void;
  onClose: () => void;
  /** Said before the effect. */
  note?: string | null;
  /** What the button says. */
  save?: string;
};

/** Shows what a change of prices does, and saves it or not. */
export function EffectDialog({ effect, pending, onSave, onClose, note, save }: EffectDialogProps) {
  const t = useTranslations("priceEffect");
  const common = useTranslations("common");
  const EffectView = useLater(effectCode, true);
  const isLoading = effect === "loading" || (effect !== "failed" && !EffectView);
  return (
    <Modal
      open
      onClose={onClose}
      title={t("review")}
      description={t("reviewText")}
      className="max-w-5xl"
      footer={
        <>
          <Button size="md" onClick={onClose} disabled={pending}>
            {common("cancel")}
          </Button>
          <Button size="md" variant="primary" pending={pending} disabled={effect === "loading"} onClick={onSave}>
            {save ?? t("save")}
          </Button>
        </>
      }
    >
      <div aria-busy={isLoading}>
        {note ? <p className="mb-3 text-muted-foreground text-xs">{note}</p> : null}
        {isLoading ? (
          <div role="status">
            <span className="text-muted-foreground">{t("loading")}</span>
            <Skeleton className="mt-3 h-40" />
          </div>
        ) : null}
        {effect === "failed" ? <p role="alert">{t("failed")}</p> : null}
        {typeof effect === "object" && EffectView ? <EffectView effect={effect} /> : null}
      </div>
    </Modal>
  );
}
