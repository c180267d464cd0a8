import type { Metadata } from "next";
import { cookies } from "next/headers";
import { getTranslations } from "next-intl/server";
import { Suspense } from "react";
import { ChannelFacts } from "@/components/channel/channel-facts";
import { ChannelFilters } from "@/components/channel/channel-filters";
import { ChannelMenu } from "@/components/channel/channel-menu";
import { ChannelModes } from "@/components/channel/channel-modes";
import { channelFilterParams } from "@/components/channel/channel-search";
import { ChannelSelection } from "@/components/channel/channel-selection";
import { ChannelStatus } from "@/components/channel/channel-status";
import { ChannelTable } from "@/components/channel/channel-table";
import { ChannelType } from "@/components/channel/channel-types";
import { COLUMN_KEYS, readColumnChoice } from "@/components/data-table/column-choice";
import { CreateButton } from "@/components/data-table/create-button";
import { FreshDrawer } from "@/components/data-table/fresh-drawer";
import { nameOfPanel } from "@/components/data-table/list-params";
import { ListFrame, ListHeader } from "@/components/data-table/list-parts";
import { ListBody, ListTransition } from "@/components/data-table/list-transition";
import { PeekPageLink, toPeek } from "@/components/data-table/peek-detail";
import { TableSkeleton } from "@/components/data-table/table-skeleton";
import { listOpenCircuits } from "@/lib/channel/circuit-queries";
import { listChannelFacets } from "@/lib/channel/facet-queries";
import { countChannelKeys } from "@/lib/channel/key-queries";
import { getChannel, listChannels } from "@/lib/channel/queries";
import { listTagRows } from "@/lib/channel/tag-queries";
import type { TagRow } from "@/lib/channel/tag-types";
import type { Channel } from "@/lib/channel/types";
import { ROLE, type ServiceContext } from "@/lib/context";
import { AppError } from "@/lib/errors";
import { listGroupNames } from "@/lib/group/queries";
import { readRecentTraffic } from "@/lib/health/traffic-queries";
import { readAvailable } from "@/lib/log-store/read-available";
import { lastIfBeyond, type Page } from "@/lib/page";
import { fromReplica } from "@/lib/replica/from-replica";
import { NoAccess } from "../no-access";
import { PageViews } from "../page-views";
import { getSignedIn } from "../signed-in";
import { ChannelPanels } from "./panels";
import { loadChannelSearch } from "./search-params";

export async function generateMetadata(): Promise<Metadata> {
  return { title: (await getTranslations("channel"))("title") };
}

export default async function ChannelPage({ searchParams }: PageProps<"/channel">) {
  const [ctx, shown, jar, t] = await Promise.all([
    getSignedIn(),
    loadChannelSearch(searchParams),
    cookies(),
    getTranslations("channel"),
  ]);
  const choice = readColumnChoice(jar.get(COLUMN_KEYS.channels)?.value);
  const groups = await listGroupNames(ctx).catch(refused);
  if (!groups) return <NoAccess own={ctx.actor.role} needed={ROLE.admin} />;
  const { filter, search, isTagMode, open } = shown;
  const page = lastIfBeyond((asked) => {
    const wanted = { ...search, page: asked };
    return fromReplica(ctx, (there) => (isTagMode ? listTagRows(there, wanted, open) : listPlain(there, wanted)));
  }, search.page);
  const ids = page.then(({ items }) => items.flatMap((row) => (row.kind === "channel" ? [row.channel.id] : [])));
  const header = (
    <span className="flex flex-wrap gap-2">
      <ChannelMenu />
      <CreateButton label={t("add")} />
    </span>
  );
  return (
    <ChannelSelection>
      <ListTransition>
        <ListHeader title={t("title")} lead={t("lead")} action={header} />
        <ListFrame>
          <ChannelFilters
            facets={fromReplica(ctx, (there) => listChannelFacets(there, filter))}
            choice={choice}
            views={<PageViews ctx={ctx} page="channel" params={channelFilterParams} columns={choice} />}
          />
          <ChannelModes isIdSort={shown.isIdSort} />
          <ListBody>
            <Suspense fallback={<TableSkeleton label={t("title")} columns={9} rows={search.pageSize} />}>
              <ChannelTable
                page={page}
                keys={ids.then((list) => countChannelKeys(ctx, list))}
                circuits={ids.then((list) => listOpenCircuits(ctx, list))}
                traffic={ids.then((list) => readTraffic(ctx, list))}
                open={isTagMode ? open : null}
                filter={filter}
                groups={groups}
                isFiltered={shown.isFiltered}
                peek={toPeek(shown.peek, (id) => getChannel(ctx, id), toFacts)}
                choice={choice}
              />
            </Suspense>
          </ListBody>
        </ListFrame>
        <FreshDrawer shown={nameOfPanel(shown)}>
          <ChannelPanels ctx={ctx} groups={groups} {...shown} />
        </FreshDrawer>
      </ListTransition>
    </ChannelSelection>
  );
}

function toFacts(channel: Channel) {
  return (
    <div className="flex flex-col gap-3">
      <p className="flex flex-wrap items-center gap-1.5 text-xs">
        <ChannelType type={channel.type} />
        <ChannelStatus status={channel.status} />
        <bdi>{channel.tag}</bdi>
      </p>
      <ChannelFacts channel={channel} />
      <PeekPageLink href={`/channel/${channel.id}`} />
    </div>
  );
}

async function listPlain(ctx: ServiceContext, search: Parameters<typeof listChannels>[1]): Promise<Page<TagRow>> {
  const { items, ...page } = await listChannels(ctx, search);
  return { ...page, items: items.map((channel) => ({ kind: "channel", channel, isMember: false })) };
}

function refused(error: unknown): null {
  if (error instanceof AppError && error.code === "forbidden") return null;
  throw error;
}

/** While the log store is away, of what is known: the list does without the rest. */
async function readTraffic(ctx: ServiceContext, ids: readonly number[]) {
  const { result } = await readAvailable(() => fromReplica(ctx, (there) => readRecentTraffic(there, ids)));
  return result;
}
