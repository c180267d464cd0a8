import { History, SearchX } from "lucide-react";
import type { Metadata } from "next";
import { getTranslations } from "next-intl/server";
import { createLoader } from "nuqs/server";
import { Suspense } from "react";
import { EmptyList, ListFrame } from "@/components/data-table/list-parts";
import { ListBody, ListTransition } from "@/components/data-table/list-transition";
import { TableSkeleton } from "@/components/data-table/table-skeleton";
import { HistoryFilters, HistoryPages } from "@/components/price-history/history-filters";
import { priceHistoryParams } from "@/components/price-history/history-search";
import { HistoryTable } from "@/components/price-history/history-table";
import { PriceTabs } from "@/components/setting/price-tabs";
import { Texts } from "@/components/shell/texts";
import { ROLE } from "@/lib/context";
import type { PriceChangeSearch } from "@/lib/pricing/history/queries";
import { listPriceChanges } from "@/lib/pricing/history/queries";
import type { PriceChangePage } from "@/lib/pricing/history/types";
import { NoAccess } from "../../../no-access";
import { getSignedIn } from "../../../signed-in";

const loadPriceHistorySearch = createLoader(priceHistoryParams);

/** Drops URL values that make no sense instead of refusing them. */
function toPriceHistorySearch(params: Awaited<ReturnType<typeof loadPriceHistorySearch>>): PriceChangeSearch {
  const { name, before } = params;
  return { name: name.slice(0, 255), ...(before !== null && before > 0 ? { before } : {}) };
}

export async function generateMetadata(): Promise<Metadata> {
  return { title: (await getTranslations("priceHistory"))("title") };
}

/** Who changed which price when and from where, with undo (root only). */
export default async function PriceHistoryPage({ searchParams }: PageProps<"/setting/prices/history">) {
  const [ctx, params, t] = await Promise.all([
    getSignedIn(),
    loadPriceHistorySearch(searchParams),
    getTranslations("priceHistory"),
  ]);
  if (ctx.actor.role < ROLE.root) return <NoAccess own={ctx.actor.role} needed={ROLE.root} />;
  const page = listPriceChanges(ctx, toPriceHistorySearch(params));
  return (
    <div className="mx-auto max-w-7xl">
      <PriceTabs current="history" title={t("title")} lead={t("lead")} />
      <Texts of={["paging", "priceHistory"]}>
        <ListTransition>
          <ListFrame>
            <HistoryFilters />
            <ListBody>
              <Suspense fallback={<TableSkeleton label={t("title")} columns={5} rows={8} />}>
                <Changes page={page} isFiltered={params.name !== ""} isFirst={params.before === null} />
              </Suspense>
            </ListBody>
          </ListFrame>
        </ListTransition>
      </Texts>
    </div>
  );
}

type ChangesProps = { page: Promise<PriceChangePage>; isFiltered: boolean; isFirst: boolean };

async function Changes({ page, isFiltered, isFirst }: ChangesProps) {
  const [{ items, next }, t] = await Promise.all([page, getTranslations("priceHistory")]);
  if (items.length === 0) {
    const icon = isFiltered ? <SearchX aria-hidden /> : <History aria-hidden />;
    const kind = isFiltered ? "noMatch" : "empty";
    return <EmptyList icon={icon} title={t(`${kind}Title`)} text={t(`${kind}Text`)} />;
  }
  return (
    <>
      <HistoryTable rows={items} />
      <HistoryPages next={next} isFirst={isFirst} />
    </>
  );
}
