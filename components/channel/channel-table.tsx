import { Network, SearchX } from "lucide-react";
import { getTranslations } from "next-intl/server";
import { applyColumnChoice, type ColumnChoice } from "@/components/data-table/column-choice";
import { CreateButton } from "@/components/data-table/create-button";
import { DataTable } from "@/components/data-table/data-table";
import { EmptyList } from "@/components/data-table/list-parts";
import { ListPeek } from "@/components/data-table/list-peek";
import { Pagination } from "@/components/data-table/pagination";
import type { Peek } from "@/components/data-table/peek-detail";
import type { TagRow } from "@/lib/channel/tag-types";
import type { Channel, ChannelCircuit, KeyCount } from "@/lib/channel/types";
import type { RecentTraffic } from "@/lib/health/traffic";
import type { Page } from "@/lib/page";
import { CHANNEL_STATUS } from "@/lib/row-status";
import { AutoDisabledNotice } from "./auto-disabled-notice";
import { BulkBar } from "./bulk-bar";
import { figureColumns, identityColumns } from "./channel-columns";
import { OpenCircuits } from "./open-circuits";

type ChannelTableProps = {
  page: Promise<Page<TagRow>>;
  keys: Promise<Map<number, KeyCount>>;
  circuits: Promise<Map<number, ChannelCircuit[]>>;
  traffic: Promise<Map<number, RecentTraffic>>;
  /** The expanded tags; null = not in tag mode. */
  open: readonly string[] | null;
  filter: Parameters<typeof BulkBar>[0]["filter"];
  groups: string[];
  isFiltered: boolean;
  peek: Peek;
  choice: ColumnChoice;
};

export async function ChannelTable(props: ChannelTableProps) {
  const { page, keys, traffic, open, filter, groups, isFiltered, choice, peek } = props;
  const [{ items, total, ...paging }, keyCounts, circuits, t] = await Promise.all([
    page,
    keys,
    props.circuits,
    getTranslations("channel"),
  ]);
  if (total === 0 && isFiltered)
    return <EmptyList icon={<SearchX aria-hidden />} title={t("noMatchTitle")} text={t("noMatchText")} />;
  if (total === 0)
    return (
      <EmptyList icon={<Network aria-hidden />} title={t("emptyTitle")} text={t("emptyText")}>
        <CreateButton label={t("add")} />
      </EmptyList>
    );
  const own = items.flatMap((row) => (row.kind === "channel" ? [row.channel] : []));
  const shown = own.map(({ id, name }) => ({ id, name }));
  const chosable = withMembers(items, shown);
  const all = [
    ...(await identityColumns({
      rows: chosable,
      keyCounts,
      circuits,
      open,
      hasGroups: choice.groups === undefined,
      hasLastTest: choice.responseTime === undefined,
    })),
    ...(await figureColumns({ traffic })),
  ];
  const columns = applyColumnChoice(all, choice);
  return (
    <>
      <BulkBar rows={chosable} total={open === null ? total : null} filter={filter} groups={groups} />
      <ListPeek title={t("title")} rows={shown} {...peek}>
        <DataTable
          caption={t("title")}
          columns={columns}
          rows={items}
          rowKey={(row) => (row.kind === "tag" ? `tag ${row.summary.tag}` : row.channel.id)}
          isMuted={(row) =>
            row.kind === "tag" ? row.summary.enabled === 0 : row.channel.status !== CHANNEL_STATUS.enabled
          }
          detail={(row) => (row.kind === "channel" ? detailOf(row.channel, circuits.get(row.channel.id)) : null)}
        />
      </ListPeek>
      <Pagination {...paging} total={total} />
    </>
  );
}

/** With the channels of the page's tags, each once, also while a tag is collapsed. */
function withMembers(items: readonly TagRow[], shown: { id: number; name: string }[]) {
  const ofTags = items.flatMap((row) =>
    row.kind === "tag" ? row.summary.ids.map((id) => ({ id, name: row.summary.tag })) : [],
  );
  return [...new Map([...ofTags, ...shown].map((row) => [row.id, row])).values()];
}

/** What stands below a row: why the system disabled the channel, or for which models it is tried last. */
function detailOf(channel: Channel, circuits: ChannelCircuit[] | undefined) {
  if (channel.status === CHANNEL_STATUS.autoDisabled) return <AutoDisabledNotice channel={channel} />;
  if (!circuits || channel.status !== CHANNEL_STATUS.enabled) return null;
  return <OpenCircuits channelId={channel.id} circuits={circuits} />;
}
