"use client";

import { useTranslations } from "next-intl";
import { useQuotaDisplay } from "@/components/format/quota-display";
import { MediaLines } from "@/components/pricing/media-lines";
import { MeterLines } from "@/components/pricing/meter-lines";
import { groupPrice, priceText } from "@/components/pricing/price-math";
import type { PricedModel } from "@/lib/pricing/types";

type ModelPricesProps = { model: PricedModel; groups: { name: string; ratio: number }[] };

/** What the model costs in each group that the visitor may use. */
export function ModelPrices({ model, groups }: ModelPricesProps) {
  const t = useTranslations("modelPage");
  const { quotaPerUnit, ...display } = useQuotaDisplay();
  const text = (quota: number) => priceText(quota, { ...display, quotaPerUnit });
  const heads = model.perCall
    ? [t("call")]
    : [
        ...(model.metersOnly ? [] : [t("prompt"), t("completion"), t("cached")]),
        ...(model.meterPrices ? [t("meters")] : []),
      ];
  return (
    <section aria-label={t("prices")} className="overflow-x-auto">
      <table className="w-full text-left text-sm tabular-nums">
        <thead>
          <tr className="border-b text-muted-foreground text-xs">
            {[t("group"), ...heads].map((head) => (
              <th key={head} scope="col" className="whitespace-nowrap py-1.5 pr-4 font-medium">
                {head}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {groups.map(({ name, ratio }) => {
            const price = groupPrice(model, ratio, quotaPerUnit);
            const cells = model.perCall
              ? [price.call]
              : model.metersOnly
                ? []
                : [price.prompt, price.completion, price.cached];
            return (
              <tr key={name} className="border-b align-top last:border-b-0">
                <th dir="auto" scope="row" className="py-2 pr-4 font-medium">
                  {name}
                </th>
                {cells.map((quota, at) => (
                  <td dir="auto" key={heads[at]} className="whitespace-nowrap py-2 pr-4">
                    {text(quota)}
                  </td>
                ))}
                {model.meterPrices && !model.perCall ? (
                  <td dir="auto" className="flex flex-col py-2 pr-4">
                    <MeterLines prices={model.meterPrices} groupRatio={ratio} />
                  </td>
                ) : null}
                {model.media ? (
                  <td dir="auto" className="flex flex-col py-2 pr-4">
                    <MediaLines model={model} groupRatio={ratio} />
                  </td>
                ) : null}
              </tr>
            );
          })}
        </tbody>
      </table>
      {model.perCall || model.metersOnly ? null : (
        <p className="mt-1 text-muted-foreground text-xs">{t("perMillion")}</p>
      )}
    </section>
  );
}
