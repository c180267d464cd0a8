import { ArrowRight } from "lucide-react";
import type { Route } from "next";
import { useTranslations } from "next-intl";
import { modelHref } from "@/components/format/model-href";
import type { QuotaDisplay } from "@/components/format/quota";
import { groupPrice, priceText } from "@/components/pricing/price-math";
import { Link } from "@/components/ui/link";
import type { PricedModel, PriceList } from "@/lib/pricing/types";

/** The teaser lists at most this many models; the pricing page has all of them. */
const MODELS_MAX = 6;
const VENDORS_MAX = 6;
const GROUP = "default";

type PriceTeaserProps = {
  prices: PriceList;
  /** Vendor names by channel type. */
  vendorNames: ReadonlyMap<number, string>;
  display: QuotaDisplay;
};

export function PriceTeaser({ prices, vendorNames, display }: PriceTeaserProps) {
  const t = useTranslations("home");
  const models = prices.models.filter(({ groups }) => groups.includes(GROUP));
  if (models.length === 0) return null;
  const types = [...new Set(models.flatMap(({ channelTypes }) => channelTypes))];
  const vendors = types.flatMap((type) => vendorNames.get(type) ?? []);
  const named = vendors.slice(0, VENDORS_MAX).join(t("vendorSeparator")) + (vendors.length > VENDORS_MAX ? "…" : "");
  return (
    <section>
      <div className="flex flex-wrap items-end justify-between gap-3">
        <div className="min-w-0">
          <h2 dir="auto" className="font-semibold text-lg tracking-tight">
            {t("models")}
          </h2>
          <p className="mt-0.5 text-muted-foreground text-pretty">
            {t("modelsText", { count: models.length, vendors: named })}
          </p>
        </div>
        <Link
          href={"/pricing" as Route}
          className="flex items-center gap-1 rounded font-medium text-primary underline-offset-4 hover:underline"
        >
          {t("allPrices")}
          <ArrowRight className="size-4" aria-hidden />
        </Link>
      </div>
      <ul className="mt-4 grid gap-3 sm:grid-cols-2 lg:grid-cols-3">
        {models.slice(0, MODELS_MAX).map((model) => (
          <li key={model.modelName} className="rounded-lg border bg-surface px-4 py-3">
            <h3 dir="auto" className="break-all font-mono text-[0.8125rem]">
              <Link href={modelHref(model.modelName)} className="rounded hover:underline">
                {model.modelName}
              </Link>
            </h3>
            <Prices model={model} ratio={prices.groupRatio[GROUP] ?? 1} display={display} />
          </li>
        ))}
      </ul>
    </section>
  );
}

type PricesProps = { model: PricedModel; ratio: number; display: QuotaDisplay };

function Prices({ model, ratio, display }: PricesProps) {
  const t = useTranslations("home");
  const { prompt, completion, call } = groupPrice(model, ratio, display.quotaPerUnit);
  const facts = model.perCall
    ? [{ name: t("perCall"), value: call }]
    : [
        { name: t("prompt"), value: prompt },
        { name: t("completion"), value: completion },
      ];
  return (
    <dl className="mt-1.5 flex gap-6">
      {facts.map(({ name, value }) => (
        <div key={name} className="flex items-baseline gap-1.5">
          <dt className="text-muted-foreground text-xs">{name}</dt>
          <dd dir="auto" className="font-medium tabular-nums">
            {priceText(value, display)}
          </dd>
        </div>
      ))}
    </dl>
  );
}
