import type { Metadata } from "next";
import { getTranslations } from "next-intl/server";
import { PriceTabs } from "@/components/setting/price-tabs";
import { Texts } from "@/components/shell/texts";
import { GroupDraft } from "@/components/what-if/group-draft";
import { RoutingDraftForm } from "@/components/what-if/routing-draft";
import { ROLE } from "@/lib/context";
import { readOptionTexts } from "@/lib/option/queries";
import { listRouting } from "@/lib/pricing/routing/preview-queries";
import { NoAccess } from "../../../no-access";
import { getSignedIn } from "../../../signed-in";

export async function generateMetadata(): Promise<Metadata> {
  return { title: (await getTranslations("whatIf"))("title") };
}

/** Drafts of group ratios and of routing against the traffic of the last days; nothing is saved before "Apply" (root only). */
export default async function WhatIfPage() {
  const [ctx, t] = await Promise.all([getSignedIn(), getTranslations("whatIf")]);
  if (ctx.actor.role < ROLE.root) return <NoAccess own={ctx.actor.role} needed={ROLE.root} />;
  const [{ GroupRatio }, channels] = await Promise.all([readOptionTexts(ctx.db, ["GroupRatio"]), listRouting(ctx)]);
  return (
    <div className="mx-auto max-w-7xl">
      <PriceTabs current="whatIf" title={t("title")} lead={t("lead")} />
      <Texts of={["meter", "paging", "priceEffect", "whatIf"]}>
        <div className="flex flex-col gap-6">
          <GroupDraft saved={GroupRatio} />
          <RoutingDraftForm channels={channels} />
        </div>
      </Texts>
    </div>
  );
}
