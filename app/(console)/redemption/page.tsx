import { SearchX, Ticket } from "lucide-react";
import type { Metadata } from "next";
import { getTranslations } from "next-intl/server";
import { Suspense } from "react";
import { getSite } from "@/app/site";
import { CreateButton } from "@/components/data-table/create-button";
import { FreshDrawer } from "@/components/data-table/fresh-drawer";
import { drawerParams, nameOfPanel, pagingParams, peekIdParams, sortParams } from "@/components/data-table/list-params";
import { EmptyList, ListFrame, ListHeader } from "@/components/data-table/list-parts";
import { ListBody, ListTransition } from "@/components/data-table/list-transition";
import { Pagination } from "@/components/data-table/pagination";
import { type Peek, toPeek } from "@/components/data-table/peek-detail";
import { MatchingRow } from "@/components/data-table/select-matching";
import { SelectionProvider } from "@/components/data-table/selection";
import { SelectionBar } from "@/components/data-table/selection-bar";
import { TableSkeleton } from "@/components/data-table/table-skeleton";
import { changeRedemptions, findRedemptions } from "@/components/redemption/actions";
import { CopySelectedCodes } from "@/components/redemption/copy-selected";
import { RedemptionFacts } from "@/components/redemption/redemption-facts";
import { RedemptionFilters } from "@/components/redemption/redemption-filters";
import { RedemptionForm } from "@/components/redemption/redemption-form";
import { toRedemptionRow } from "@/components/redemption/redemption-row";
import { redemptionFilterParams } from "@/components/redemption/redemption-search";
import { RedemptionTable } from "@/components/redemption/redemption-table";
import { ROLE, type ServiceContext } from "@/lib/context";
import { AppError } from "@/lib/errors";
import { lastIfBeyond, type Page } from "@/lib/page";
import { getRedemption, listRedemptions } from "@/lib/redemption/queries";
import { REDEMPTION_SORTS, type RedemptionSearch } from "@/lib/redemption/schemas";
import type { Redemption } from "@/lib/redemption/types";
import { fromReplica } from "@/lib/replica/from-replica";
import { REDEMPTION_STATUS } from "@/lib/row-status";
import { createListLoader } from "../list-loader";
import { NoAccess } from "../no-access";
import { PageViews } from "../page-views";
import { getSignedIn } from "../signed-in";

const loadRedemptionSearch = createListLoader({
  ...pagingParams,
  ...redemptionFilterParams,
  ...sortParams(REDEMPTION_SORTS, "id"),
  ...drawerParams,
  ...peekIdParams,
});

export async function generateMetadata(): Promise<Metadata> {
  return { title: (await getTranslations("redemption"))("title") };
}

export default async function RedemptionPage({ searchParams }: PageProps<"/redemption">) {
  const [ctx, { edit, create, peek, status, ...search }, t] = await Promise.all([
    getSignedIn(),
    loadRedemptionSearch(searchParams),
    getTranslations("redemption"),
  ]);
  if (ctx.actor.role < ROLE.admin) return <NoAccess own={ctx.actor.role} needed={ROLE.admin} />;
  const { page: number, pageSize, ...filters } = { ...search, ...toStatus(status) };
  const page = lastIfBeyond(
    (asked) => fromReplica(ctx, (there) => listRedemptions(there, { ...filters, pageSize, page: asked })),
    number,
  );
  const filtered = search.keyword !== "" || status !== null;
  const buttons = (
    <div className="flex flex-wrap gap-2">
      <CopySelectedCodes />
      <CreateButton label={t("add")} />
    </div>
  );
  return (
    <ListTransition>
      <SelectionProvider>
        <ListHeader title={t("title")} lead={t("lead")} action={buttons} />
        <ListFrame>
          <RedemptionFilters views={<PageViews ctx={ctx} page="redemption" params={redemptionFilterParams} />} />
          <SelectionBar change={changeRedemptions} />
          <ListBody>
            <Suspense fallback={<TableSkeleton label={t("title")} columns={7} rows={pageSize} />}>
              <RedemptionRows
                page={page}
                search={filters}
                filtered={filtered}
                peek={toPeek(
                  peek,
                  (id) => readFacts(ctx, id),
                  (facts) => <RedemptionFacts {...facts} />,
                )}
              />
            </Suspense>
          </ListBody>
        </ListFrame>
      </SelectionProvider>
      <FreshDrawer shown={nameOfPanel({ edit, create })}>
        <RedemptionDrawer ctx={ctx} edit={edit} create={create} />
      </FreshDrawer>
    </ListTransition>
  );
}

async function readFacts(ctx: ServiceContext, id: number) {
  const [code, site] = await Promise.all([getRedemption(ctx, id), getSite()]);
  return { code, display: site.quotaDisplay };
}

type RedemptionRowsProps = {
  page: Promise<Page<Redemption>>;
  search: RedemptionSearch;
  filtered: boolean;
  peek: Peek;
};

async function RedemptionRows({ page, search, filtered, peek }: RedemptionRowsProps) {
  const [{ items, total, ...paging }, { quotaDisplay }, t] = await Promise.all([
    page,
    getSite(),
    getTranslations("redemption"),
  ]);
  if (total === 0 && filtered)
    return <EmptyList icon={<SearchX aria-hidden />} title={t("noMatchTitle")} text={t("noMatchText")} />;
  if (total === 0)
    return (
      <EmptyList icon={<Ticket aria-hidden />} title={t("emptyTitle")} text={t("emptyText")}>
        <CreateButton label={t("add")} />
      </EmptyList>
    );
  return (
    <>
      <MatchingRow total={total} onPage={items.length} search={search} find={findRedemptions} />
      <RedemptionTable rows={items.map(toRedemptionRow)} display={quotaDisplay} peek={peek} />
      <Pagination {...paging} total={total} />
    </>
  );
}

type DrawerProps = { ctx: ServiceContext; edit: number | null; create: boolean };

async function RedemptionDrawer({ ctx, edit, create }: DrawerProps) {
  if (edit === null && !create) return null;
  const code = edit === null ? null : await getRedemption(ctx, edit).catch(missing);
  if (edit !== null && !code) return null;
  const shown = code && { id: code.id, name: code.name, quota: code.quota, expiredTime: code.expiredTime };
  return <RedemptionForm key={edit ?? "create"} code={shown} />;
}

function missing(error: unknown): null {
  if (error instanceof AppError && error.code === "not_found") return null;
  throw error;
}

function toStatus(status: number | null) {
  const known = Object.values(REDEMPTION_STATUS).find((value) => value === status);
  return known === undefined ? {} : { status: known };
}
