"use client";

import { useTranslations } from "next-intl";
import { useMeterNames } from "@/components/format/meter-names";
import { formatDecimal } from "@/components/format/quota";
import { useQuotaDisplay } from "@/components/format/quota-display";
import { useLineName } from "./bill-table";
import { type PriceSteps, pricePerMillion, type RatioName } from "./price-steps";

/** The calculation of each price: ratio × ratio × group, as a number and as money per million tokens (A224–A226). */
export function PriceNotes({ prices }: { prices: PriceSteps }) {
  const t = useTranslations("log");
  const { symbol } = useQuotaDisplay();
  const lineName = useLineName();
  const { names, unitsOf, perUnit } = useMeterNames();
  const money = (value: number) => `${symbol}${formatDecimal(value)}`;
  if (prices.mode === "call") {
    const { price, group } = prices;
    const values = { price: money(price), group: formatDecimal(group), total: money(price * group) };
    return (
      <p className="mt-1.5 text-muted-foreground text-xs" data-testid="prices">
        {t("callPriceNote", values)}
      </p>
    );
  }
  return (
    <ul className="mt-1.5 flex flex-col gap-0.5 text-muted-foreground text-xs" data-testid="prices">
      {prices.steps.map(({ kind, ratios, product }) => (
        <li key={kind} className="flex flex-wrap gap-x-1.5">
          <span className="text-foreground">{t("priceOf", { item: lineName(kind) })}</span>
          <span className="tabular-nums">
            {ratios.map(({ name, value }) => `${ratioName(t, name)} ${formatDecimal(value)}`).join(" × ")}
            {` = ${formatDecimal(product)}`}
          </span>
          <span className="tabular-nums">
            {t("perMillion", { price: money(pricePerMillion(product, prices.quotaPerUnit)) })}
          </span>
        </li>
      ))}
      {prices.meters.map(({ meter, variant, price, group }, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: two lines can be of one meter, and they never change
        <li key={at} className="flex flex-wrap gap-x-1.5">
          <span className="text-foreground">{t("priceOf", { item: `${names[meter]} ${variant}`.trim() })}</span>
          <span className="tabular-nums">
            {`${money(price * unitsOf(meter))} × ${t("ratioGroup")} ${formatDecimal(group)}`}
          </span>
          <span className="tabular-nums">→ {perUnit(meter, money(price * unitsOf(meter) * group))}</span>
        </li>
      ))}
      {prices.meters.length > 0 ? <li>{t("meterNote")}</li> : null}
      {prices.steps.length > 0 ? (
        <li>{t("divisorNote", { unit: prices.quotaPerUnit.toLocaleString("en-US") })}</li>
      ) : null}
    </ul>
  );
}

function ratioName(t: ReturnType<typeof useTranslations<"log">>, name: RatioName): string {
  const names: Record<RatioName, string> = {
    model: t("ratioModel"),
    completion: t("ratioCompletion"),
    cache: t("ratioCache"),
    cacheWrite: t("ratioCacheWrite"),
    audio: t("ratioAudio"),
    audioCompletion: t("ratioAudioCompletion"),
    audioCache: t("ratioAudioCache"),
    image: t("ratioImage"),
    imageCache: t("ratioImageCache"),
    group: t("ratioGroup"),
  };
  return names[name];
}
