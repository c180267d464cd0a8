import { ArrowLeft } from "lucide-react";
import type { Metadata } from "next";
import { getTranslations } from "next-intl/server";
import { PriceSync } from "@/components/setting/price-sync/price-sync";
import { Texts } from "@/components/shell/texts";
import { Link } from "@/components/ui/link";
import { ROLE } from "@/lib/context";
import { NoAccess } from "../../no-access";
import { getSignedIn } from "../../signed-in";
import { applyPrices, comparePriceList, exportPrices } from "./actions";

const actions = { applyPrices, comparePriceList, exportPrices };

export async function generateMetadata(): Promise<Metadata> {
  return { title: (await getTranslations("priceSync"))("title") };
}

/** Compares a price list at an address with the prices in force (root only). */
export default async function PriceSyncPage() {
  const [ctx, t] = await Promise.all([getSignedIn(), getTranslations("priceSync")]);
  if (ctx.actor.role < ROLE.root) return <NoAccess own={ctx.actor.role} needed={ROLE.root} />;
  return (
    <div className="mx-auto max-w-6xl">
      <Link
        href="/setting?tab=operation#pricing"
        className="mb-2 inline-flex items-center gap-1 text-muted-foreground text-xs hover:text-foreground"
      >
        <ArrowLeft className="size-3.5" aria-hidden />
        {t("back")}
      </Link>
      <header className="mb-4 max-w-3xl">
        <h1 className="font-semibold text-lg tracking-tight">{t("title")}</h1>
        <p className="mt-0.5 text-muted-foreground text-pretty">{t("lead")}</p>
      </header>
      <Texts of={["meter", "paging", "priceSync"]}>
        <PriceSync actions={actions} />
      </Texts>
    </div>
  );
}
