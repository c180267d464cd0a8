import type { Metadata } from "next";
import { getTranslations } from "next-intl/server";
import { Suspense } from "react";
import { getSite } from "@/app/site";
import { CreateButton } from "@/components/data-table/create-button";
import { ListFrame, ListHeader } from "@/components/data-table/list-parts";
import { ListBody, ListTransition } from "@/components/data-table/list-transition";
import { TableSkeleton } from "@/components/data-table/table-skeleton";
import { TokenFilters } from "@/components/token/token-filters";
import { TokenTable } from "@/components/token/token-table";
import { listTokens } from "@/lib/token/queries";
import { getSignedIn } from "../signed-in";
import { deleteToken, revealToken, setTokenStatus } from "./actions";
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
  const page = listTokens(ctx, { ...search, ...toStatus(status) });
  const filtered = search.keyword !== "" || search.key !== "" || status !== null;
  return (
    <ListTransition>
      <ListHeader title={t("title")} lead={t("lead")} action={<CreateButton label={t("add")} />} />
      <ListFrame>
        <TokenFilters />
        <ListBody>
          <Suspense fallback={<TableSkeleton label={t("title")} columns={7} rows={search.pageSize} />}>
            <TokenTable
              page={page}
              site={getSite()}
              filtered={filtered}
              actions={{ deleteToken, revealToken, setTokenStatus }}
            />
          </Suspense>
        </ListBody>
      </ListFrame>
      <TokenDrawer ctx={ctx} edit={edit} create={create} />
    </ListTransition>
  );
}

function toStatus(status: number | null) {
  if (status === 1 || status === 2 || status === 3 || status === 4) return { status } as const;
  return {};
}
