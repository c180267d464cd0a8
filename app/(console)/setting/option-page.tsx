import { getSite } from "@/app/site";
import { PriceReview } from "@/components/price-effect/price-review";
import { AnchorRedirect } from "@/components/setting/anchor-redirect";
import { PageForm } from "@/components/setting/page-form";
import { SettingSearch } from "@/components/setting/setting-search";
import { Texts } from "@/components/shell/texts";
import { builtInFacts, builtInPrices } from "@/lib/billing/built-in-prices";
import type { ServiceContext } from "@/lib/context";
import type { SettingPageInfo } from "@/lib/option/cards";
import type { OptionView } from "@/lib/option/types";
import { EFFECT_KEYS } from "@/lib/pricing/effect/schemas";
import { readArchiveStatus } from "@/lib/usage-log/archive-status-queries";

type OptionPageProps = { ctx: ServiceContext; page: SettingPageInfo; views: readonly OptionView[] };

/** One page of the site's settings. */
export async function OptionPage({ ctx, page, views }: OptionPageProps) {
  const site = await getSite();
  const options = views.filter((view) => page.cards.includes(view.card));
  const hasPrices = page.cards.includes("pricing");
  const facts = {
    savedAddress: views.find((view) => view.key === "ServerAddress")?.value ?? "",
    publicAddress: site.serverAddress,
    quotaPerUnit: site.quotaDisplay.quotaPerUnit,
    builtInPrices: hasPrices ? builtInPrices() : {},
    builtInFacts: hasPrices ? builtInFacts() : {},
    archive: page.cards.includes("log") ? await readArchiveStatus(ctx) : null,
  };
  return (
    <Texts of={["audit.change", "meter", "option", "paging", "priceEffect", "pricing", "setting", "timeLimit.name"]}>
      {page.cards.some((card) => card === "pricing" || card === "groups") ? <PriceReview keys={EFFECT_KEYS} /> : null}
      <PageForm key={page.id} page={page} options={options} facts={facts} />
    </Texts>
  );
}

type OptionSearchProps = { views: readonly OptionView[]; page: SettingPageInfo | null };

/** The search over all pages, and the way from old addresses to the page of a field. */
export function OptionSearch({ views, page }: OptionSearchProps) {
  const options = views.map(({ key, card }) => ({ key, card }));
  return (
    <Texts of={["option", "setting"]}>
      <AnchorRedirect options={options} cards={page?.cards ?? []} />
      <SettingSearch options={options} />
    </Texts>
  );
}
