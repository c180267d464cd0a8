import type { Metadata } from "next";
import { getTranslations } from "next-intl/server";
import { Suspense } from "react";
import { getSite } from "@/app/site";
import { ChannelFilters } from "@/components/channel/channel-filters";
import { ChannelTable } from "@/components/channel/channel-table";
import { CreateButton } from "@/components/data-table/create-button";
import { ListFrame, ListHeader } from "@/components/data-table/list-parts";
import { ListBody, ListTransition } from "@/components/data-table/list-transition";
import { TableSkeleton } from "@/components/data-table/table-skeleton";
import { listChannels } from "@/lib/channel/queries";
import { AppError } from "@/lib/errors";
import { listGroupNames } from "@/lib/group/queries";
import { NoAccess } from "../no-access";
import { getSignedIn } from "../signed-in";
import { deleteChannel, setChannelStatus } from "./actions";
import { ChannelPanels } from "./panels";
import { loadChannelSearch } from "./search-params";

const ADMIN = 10;

export async function generateMetadata(): Promise<Metadata> {
  return { title: (await getTranslations("channel"))("title") };
}

export default async function ChannelPage({ searchParams }: PageProps<"/channel">) {
  const [ctx, { edit, create, test, status, type, ...search }, t] = await Promise.all([
    getSignedIn(),
    loadChannelSearch(searchParams),
    getTranslations("channel"),
  ]);
  const groups = await listGroupNames(ctx).catch(refused);
  if (!groups) return <NoAccess own={ctx.actor.role} needed={ADMIN} />;
  const page = listChannels(ctx, { ...search, ...toStatus(status), ...(type === null ? {} : { type }) });
  const { keyword, model, group } = search;
  const filtered = keyword !== "" || model !== "" || group !== "" || status !== null || type !== null;
  return (
    <ListTransition>
      <ListHeader title={t("title")} lead={t("lead")} action={<CreateButton label={t("add")} />} />
      <ListFrame>
        <ChannelFilters groups={groups} />
        <ListBody>
          <Suspense fallback={<TableSkeleton label={t("title")} columns={8} rows={search.pageSize} />}>
            <ChannelTable
              page={page}
              site={getSite()}
              filtered={filtered}
              actions={{ deleteChannel, setChannelStatus }}
            />
          </Suspense>
        </ListBody>
      </ListFrame>
      <ChannelPanels ctx={ctx} groups={groups} edit={edit} create={create} test={test} />
    </ListTransition>
  );
}

function refused(error: unknown): null {
  if (error instanceof AppError && error.code === "forbidden") return null;
  throw error;
}

function toStatus(status: number | null) {
  if (status === 1 || status === 2 || status === 3) return { status } as const;
  return {};
}
