import type { Metadata } from "next";
import { getTranslations } from "next-intl/server";
import { PriceSync } from "@/components/setting/price-sync/price-sync";
import { PriceTabs } from "@/components/setting/price-tabs";
import { Texts } from "@/components/shell/texts";
import { ROLE } from "@/lib/context";
import { NoAccess } from "../../no-access";
import { getSignedIn } from "../../signed-in";

export async function generateMetadata(): Promise<Metadata> {
  return { title: (await getTranslations("priceSync"))("title") };
}

/** Compares a price list at an address with the prices in force (root only). */
export default async function PriceSyncPage() {
  const [ctx, t] = await Promise.all([getSignedIn(), getTranslations("priceSync")]);
  if (ctx.actor.role < ROLE.root) return <NoAccess own={ctx.actor.role} needed={ROLE.root} />;
  return (
    <div className="mx-auto max-w-7xl">
      <PriceTabs current="sync" title={t("title")} lead={t("lead")} />
      <Texts of={["meter", "paging", "priceEffect", "priceSync"]}>
        <PriceSync />
      </Texts>
    </div>
  );
}
