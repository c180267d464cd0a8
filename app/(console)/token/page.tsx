import { TriangleAlert } from "lucide-react";
import type { Metadata } from "next";
import { getTranslations } from "next-intl/server";
import { Suspense } from "react";
import { getSite } from "@/app/site";
import { CreateButton } from "@/components/data-table/create-button";
import { FreshDrawer } from "@/components/data-table/fresh-drawer";
import { nameOfPanel } from "@/components/data-table/list-params";
import { ListFrame, ListHeader } from "@/components/data-table/list-parts";
import { ListBody, ListTransition } from "@/components/data-table/list-transition";
import { SelectionProvider } from "@/components/data-table/selection";
import { SelectionBar } from "@/components/data-table/selection-bar";
import { TableSkeleton } from "@/components/data-table/table-skeleton";
import { CopySelected } from "@/components/token/copy-selected";
import { TokenFilters } from "@/components/token/token-filters";
import { tokenFilterParams } from "@/components/token/token-search";
import { TokenTable } from "@/components/token/token-table";
import { readTokenBudgets } from "@/lib/limit/budget-queries";
import { lastIfBeyond } from "@/lib/page";
import { TOKEN_STATUS } from "@/lib/row-status";
import { listTokens } from "@/lib/token/queries";
import { readTokenUsage } from "@/lib/token/usage-queries";
import { PageViews } from "../page-views";
import { getSignedIn } from "../signed-in";
import { changeTokens, deleteToken, revealToken, revealTokens, rotateToken, setTokenStatus } from "./actions";
import { TokenDrawer } from "./drawer";
import { loadTokenSearch } from "./search-params";

export async function generateMetadata(): Promise<Metadata> {
  return { title: (await getTranslations("token"))("title") };
}

export default async function TokenPage({ searchParams }: PageProps<"/token">) {
  const [ctx, { edit, create, status, ...search }, t] = await Promise.all([
    getSignedIn(),
    loadTokenSearch(searchParams),
    getTranslations("token"),
  ]);
  const page = lastIfBeyond((asked) => listTokens(ctx, { ...search, page: asked, ...toStatus(status) }), search.page);
  const filtered = search.keyword !== "" || search.key !== "" || status !== null;
  const buttons = (
    <div className="flex flex-wrap gap-2">
      <CopySelected revealTokens={revealTokens} />
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
            <Suspense fallback={<TableSkeleton label={t("title")} columns={7} rows={search.pageSize} />}>
              <TokenTable
                page={page}
                site={getSite()}
                filtered={filtered}
                readUsage={(ids) => readTokenUsage(ctx, ids)}
                readBudgets={(ids) => readTokenBudgets(ctx, ids)}
                actions={{ deleteToken, revealToken, rotateToken, setTokenStatus }}
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

function toStatus(status: number | null) {
  const known = Object.values(TOKEN_STATUS).find((value) => value === status);
  return known === undefined ? {} : { status: known };
}
