"use client";

import { Calculator, Copy, Info, Scale } from "lucide-react";
import { useTranslations } from "next-intl";
import { useCopy } from "@/components/form/copy-button";
import { Button } from "@/components/ui/button";
import { toast } from "@/components/ui/toast";
import type { PricedModel } from "@/lib/pricing/types";

const ERROR_MS = 5_000;
const COMPARE_MAX = 6;

type PricingToolsProps = {
  /** The selected models. */
  chosen: readonly PricedModel[];
  canSimulate: boolean;
  onCompare: () => void;
  onSimulate: () => void;
  onRatios: () => void;
};

export function PricingTools({ chosen, canSimulate, onCompare, onSimulate, onRatios }: PricingToolsProps) {
  const t = useTranslations("pricing");
  const copy = useCopy();
  const refuse = (text: string) => void toast.error(text, { duration: ERROR_MS });
  const copySelected = () => {
    if (chosen.length === 0) return refuse(t("selectOne"));
    return void copy(chosen.map(({ modelName }) => modelName).join(","));
  };
  const compare = () => {
    if (chosen.length < 2) return refuse(t("compareFew"));
    return chosen.length > COMPARE_MAX ? refuse(t("compareMany", { max: String(COMPARE_MAX) })) : onCompare();
  };
  return (
    <div className="mb-3 flex flex-wrap gap-2">
      <Button size="md" onClick={copySelected}>
        <Copy aria-hidden />
        {t("copySelected")}
        {chosen.length > 0 ? <span className="tabular-nums">({chosen.length})</span> : null}
      </Button>
      <Button size="md" onClick={compare}>
        <Scale aria-hidden />
        {t("compare")}
      </Button>
      <Button size="md" onClick={onSimulate} disabled={!canSimulate}>
        <Calculator aria-hidden />
        {t("simulator")}
      </Button>
      <Button size="md" onClick={onRatios}>
        <Info aria-hidden />
        {t("ratios")}
      </Button>
    </div>
  );
}
