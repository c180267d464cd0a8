"use client";

import { useTranslations } from "next-intl";
import { useChannelTypeName } from "@/components/channel/channel-types";
import { formatDecimal, formatNumber } from "@/components/format/quota";
import { useQuotaDisplay } from "@/components/format/quota-display";
import { Modal } from "@/components/overlay/modal";
import type { PricedModel } from "@/lib/pricing/types";
import { useMediaTexts } from "./media-lines";
import { useMeterTexts } from "./meter-lines";
import { useModalityNames } from "./model-facts";
import { groupPrice, priceText, ratioText } from "./price-math";

type CompareDialogProps = {
  open: boolean;
  models: readonly PricedModel[];
  group: string;
  groupRatio: number;
  onClose: () => void;
};

export function CompareDialog({ open, models, group, groupRatio, onClose }: CompareDialogProps) {
  const t = useTranslations("pricing");
  const lines = useLines(groupRatio);
  return (
    <Modal
      open={open}
      onClose={onClose}
      title={t("compareTitle")}
      description={t("compareText", { group, ratio: String(groupRatio) })}
      className="max-w-4xl"
    >
      <section
        aria-label={t("compareTitle")}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard
        tabIndex={0}
        className="overflow-x-auto rounded-md border"
      >
        <table className="w-full border-collapse text-left" data-testid="comparison">
          <thead className="border-b bg-muted/60">
            <tr>
              <th scope="col" className="px-3 py-2 font-medium text-muted-foreground text-xs">
                {t("name")}
              </th>
              {models.map(({ modelName }) => (
                <th key={modelName} scope="col" className="break-all px-3 py-2 font-medium">
                  {modelName}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {lines.map(({ name, show }) => (
              <tr key={name} className="border-b last:border-b-0">
                <th dir="auto" scope="row" className="whitespace-nowrap px-3 py-1.5 font-normal text-muted-foreground">
                  {name}
                </th>
                {models.map((model) => (
                  <td dir="auto" key={model.modelName} className="px-3 py-1.5 tabular-nums">
                    {show(model)}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </section>
    </Modal>
  );
}

type Line = { name: string; show: (model: PricedModel) => string };

function useLines(groupRatio: number): Line[] {
  const t = useTranslations("pricing");
  const display = useQuotaDisplay();
  const vendorName = useChannelTypeName();
  const kindsOf = useModalityNames();
  const priceOf = (model: PricedModel) => groupPrice(model, groupRatio, display.quotaPerUnit);
  const meterText = useMeterTexts(groupRatio);
  const mediaTexts = useMediaTexts(groupRatio);
  const byTokens = (show: (model: PricedModel) => string) => (model: PricedModel) =>
    model.perCall || model.metersOnly ? "—" : show(model);
  return [
    {
      name: t("billing"),
      show: (model: PricedModel) => (model.perCall ? t("byCall") : model.metersOnly ? t("byMeter") : t("byUsage")),
    },
    { name: t("vendor"), show: (model: PricedModel) => model.channelTypes.map(vendorName).join(", ") },
    { name: t("modelRatio"), show: byTokens((model) => formatDecimal(model.modelRatio)) },
    { name: t("completionRatio"), show: byTokens((model) => ratioText(model.completionRatio)) },
    { name: t("cacheRatio"), show: byTokens((model) => formatDecimal(model.cacheRatio)) },
    { name: t("promptMillion"), show: byTokens((model) => priceText(priceOf(model).prompt, display)) },
    { name: t("completionMillion"), show: byTokens((model) => priceText(priceOf(model).completion, display)) },
    { name: t("cachedMillion"), show: byTokens((model) => priceText(priceOf(model).cached, display)) },
    { name: t("mediaPrices"), show: (model: PricedModel) => mediaTexts(model).join(", ") || "—" },
    {
      name: t("callPrice"),
      show: (model: PricedModel) => (model.perCall ? priceText(priceOf(model).call, display) : "—"),
    },
    {
      name: t("meterPrices"),
      show: ({ meterPrices }) =>
        Object.entries(meterPrices ?? {})
          .map(([key, usd]) => meterText(key, usd))
          .join(", ") || "—",
    },
    { name: t("context"), show: ({ facts }) => (facts.contextTokens ? formatNumber(facts.contextTokens) : "—") },
    { name: t("maxOutput"), show: ({ facts }) => (facts.maxOutputTokens ? formatNumber(facts.maxOutputTokens) : "—") },
    { name: t("inputKinds"), show: ({ facts }) => (facts.input ? kindsOf(facts.input) : "—") },
    { name: t("outputKinds"), show: ({ facts }) => (facts.output ? kindsOf(facts.output) : "—") },
    { name: t("usableGroups"), show: (model: PricedModel) => model.groups.join(", ") || t("none") },
  ];
}
