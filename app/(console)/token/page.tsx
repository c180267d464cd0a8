import { TriangleAlert } from "lucide-react";
import type { Metadata } from "next";
import { getTranslations } from "next-intl/server";
import { Suspense } from "react";
import { getSite } from "@/app/site";
import { CreateButton } from "@/components/data-table/create-button";
import { FreshDrawer } from "@/components/data-table/fresh-drawer";
import { drawerParams, nameOfPanel, pagingParams, peekIdParams, sortParams } from "@/components/data-table/list-params";
import { ListFrame, ListHeader } from "@/components/data-table/list-parts";
import { ListBody, ListTransition } from "@/components/data-table/list-transition";
import { toPeek } from "@/components/data-table/peek-detail";
import { SelectionProvider } from "@/components/data-table/selection";
import { SelectionBar } from "@/components/data-table/selection-bar";
import { TableSkeleton } from "@/components/data-table/table-skeleton";
import { changeTokens } from "@/components/token/actions";
import { CopySelected } from "@/components/token/copy-selected";
import { TokenFacts } from "@/components/token/token-facts";
import { TokenFilters } from "@/components/token/token-filters";
import { TokenForm } from "@/components/token/token-form";
import { tokenFilterParams } from "@/components/token/token-search";
import { TokenTable } from "@/components/token/token-table";
import type { ServiceContext } from "@/lib/context";
import { AppError } from "@/lib/errors";
import { listUsableGroups } from "@/lib/group/queries";
import { readTokenBudgets } from "@/lib/limit/budget-queries";
import { listUsableModels } from "@/lib/model/queries";
import { lastIfBeyond } from "@/lib/page";
import { fromReplica } from "@/lib/replica/from-replica";
import { TOKEN_STATUS } from "@/lib/row-status";
import { getToken, listTokens } from "@/lib/token/queries";
import { TOKEN_SORTS } from "@/lib/token/schemas";
import { readTokenUsage } from "@/lib/token/usage-queries";
import { createListLoader } from "../list-loader";
import { PageViews } from "../page-views";
import { getSignedIn } from "../signed-in";

const loadTokenSearch = createListLoader({
  ...pagingParams,
  ...tokenFilterParams,
  ...sortParams(TOKEN_SORTS, "id"),
  ...drawerParams,
  ...peekIdParams,
});

export async function generateMetadata(): Promise<Metadata> {
  return { title: (await getTranslations("token"))("title") };
}

export default async function TokenPage({ searchParams }: PageProps<"/token">) {
  const [ctx, { edit, create, peek, status, ...search }, t] = await Promise.all([
    getSignedIn(),
    loadTokenSearch(searchParams),
    getTranslations("token"),
  ]);
  const { page: number, pageSize, ...filters } = { ...search, ...toStatus(status) };
  const page = lastIfBeyond(
    (asked) => fromReplica(ctx, (there) => listTokens(there, { ...filters, pageSize, page: asked })),
    number,
  );
  const filtered = search.keyword !== "" || search.key !== "" || status !== null;
  const buttons = (
    <div className="flex flex-wrap gap-2">
      <CopySelected />
      <CreateButton label={t("add")} />
    </div>
  );
  return (
    <ListTransition>
      <SelectionProvider>
        <ListHeader title={t("title")} lead={t("lead")} action={buttons} />
        <p
          role="note"
          className="mb-4 flex items-start gap-2 rounded-lg border border-warning/50 bg-surface px-4 py-2.5"
        >
          <TriangleAlert className="mt-0.5 size-4 shrink-0 text-warning" aria-hidden />
          {t("selfUse")}
        </p>
        <ListFrame>
          <TokenFilters views={<PageViews ctx={ctx} page="token" params={tokenFilterParams} />} />
          <SelectionBar change={changeTokens} />
          <ListBody>
            <Suspense fallback={<TableSkeleton label={t("title")} columns={7} rows={pageSize} />}>
              <TokenTable
                page={page}
                search={filters}
                peek={toPeek(
                  peek,
                  (id) => readTokenFacts(ctx, id),
                  (facts) => <TokenFacts {...facts} />,
                )}
                site={getSite()}
                filtered={filtered}
                readUsage={(ids) => fromReplica(ctx, (there) => readTokenUsage(there, ids))}
                readBudgets={(ids) => readTokenBudgets(ctx, ids)}
              />
            </Suspense>
          </ListBody>
        </ListFrame>
      </SelectionProvider>
      <FreshDrawer shown={nameOfPanel({ edit, create })}>
        <TokenDrawer ctx={ctx} edit={edit} create={create} />
      </FreshDrawer>
    </ListTransition>
  );
}

async function readTokenFacts(ctx: ServiceContext, id: number) {
  const [token, usage, budgets, site] = await Promise.all([
    getToken(ctx, id),
    readTokenUsage(ctx, [id]),
    readTokenBudgets(ctx, [id]),
    getSite(),
  ]);
  return { token, usage: usage[id], budgets: budgets[id] ?? [], display: site.quotaDisplay };
}

function toStatus(status: number | null) {
  const known = Object.values(TOKEN_STATUS).find((value) => value === status);
  return known === undefined ? {} : { status: known };
}

type TokenDrawerProps = { ctx: ServiceContext; edit: number | null; create: boolean };

async function TokenDrawer({ ctx, edit, create }: TokenDrawerProps) {
  if (edit === null && !create) return null;
  const [token, groups, models, site] = await Promise.all([
    edit === null ? null : getToken(ctx, edit).catch(missing),
    listUsableGroups(ctx),
    listUsableModels(ctx),
    getSite(),
  ]);
  if (edit !== null && !token) return null;
  return (
    <TokenForm
      key={edit ?? "create"}
      token={token}
      groups={groups}
      models={models}
      serverAddress={site.serverAddress}
    />
  );
}

function missing(error: unknown): null {
  if (error instanceof AppError && error.code === "not_found") return null;
  throw error;
}
