import type { Metadata } from "next";
import { getLocale, getTranslations } from "next-intl/server";
import { getSite } from "@/app/site";
import { StepUpProvider } from "@/components/auth/step-up-dialog";
import { ChannelTypesProvider } from "@/components/channel/channel-types";
import { ListHeader } from "@/components/data-table/list-parts";
import { QuotaDisplayProvider } from "@/components/format/quota-display";
import { PricingView } from "@/components/pricing/pricing-view";
import { getContext } from "@/lib/auth/session";
import { listChannelTypes } from "@/lib/channel/type-views";
import type { ServiceContext } from "@/lib/context";
import { isHashOnly } from "@/lib/key-hint";
import { listPrices } from "@/lib/pricing/queries";
import { TOKEN_STATUS } from "@/lib/row-status";
import { listTokens } from "@/lib/token/queries";

const TOKENS_MAX = 100;

export async function generateMetadata(): Promise<Metadata> {
  return { title: (await getTranslations("pricing"))("title") };
}

/** Public. Shows the groups that the visitor may use. */
export default async function PricingPage() {
  const ctx = await getContext();
  const [prices, site, tokens, locale, t] = await Promise.all([
    listPrices(ctx),
    getSite(),
    enabledTokens(ctx),
    getLocale(),
    getTranslations("pricing"),
  ]);
  return (
    <QuotaDisplayProvider value={site.quotaDisplay}>
      <StepUpProvider>
        <div className="mx-auto max-w-7xl p-4 md:p-6">
          <ListHeader title={t("title")} lead={t("lead")} />
          <ChannelTypesProvider types={listChannelTypes(locale)}>
            <PricingView
              prices={prices}
              ownGroup={ctx.actor.type === "user" ? ctx.actor.group : null}
              snippets={{ serverAddress: site.serverAddress, tokens }}
            />
          </ChannelTypesProvider>
        </div>
      </StepUpProvider>
    </QuotaDisplayProvider>
  );
}

async function enabledTokens(ctx: ServiceContext) {
  if (ctx.actor.type !== "user") return null;
  const { items } = await listTokens(ctx, { status: TOKEN_STATUS.enabled, pageSize: TOKENS_MAX });
  return items.filter((token) => !isHashOnly(token)).map(({ id, name, keyHint }) => ({ id, name, keyHint }));
}
