import type { Metadata } from "next";
import { getTranslations } from "next-intl/server";
import { createLoader } from "nuqs/server";
import { PriceList } from "@/components/price-list/price-list";
import { priceListParams } from "@/components/price-list/price-list-search";
import { PriceTabs } from "@/components/setting/price-tabs";
import { Texts } from "@/components/shell/texts";
import { ROLE } from "@/lib/context";
import { listModelPrices } from "@/lib/pricing/adjust/list-queries";
import { NoAccess } from "../../../no-access";
import { getSignedIn } from "../../../signed-in";

const loadPriceListSearch = createLoader(priceListParams);

export async function generateMetadata(): Promise<Metadata> {
  return { title: (await getTranslations("priceList"))("title") };
}

/** All prices, to raise, lower or set those of a selection (root only). */
export default async function PriceListPage({ searchParams }: PageProps<"/setting/prices/list">) {
  const [ctx, { builtIn, models }, t] = await Promise.all([
    getSignedIn(),
    loadPriceListSearch(searchParams),
    getTranslations("priceList"),
  ]);
  if (ctx.actor.role < ROLE.root) return <NoAccess own={ctx.actor.role} needed={ROLE.root} />;
  return (
    <div className="mx-auto max-w-7xl">
      <PriceTabs current="list" title={t("title")} lead={t("lead")} />
      <Texts of={["meter", "paging", "priceEffect", "priceList"]}>
        <PriceList key={models.join()} prices={await listModelPrices(ctx, builtIn, models)} wanted={models} />
      </Texts>
    </div>
  );
}
