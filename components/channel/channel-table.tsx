import { Network, SearchX } from "lucide-react";
import { getTranslations } from "next-intl/server";
import type { Column } from "@/components/data-table/column";
import { CreateButton } from "@/components/data-table/create-button";
import { DataTable } from "@/components/data-table/data-table";
import { EmptyList } from "@/components/data-table/list-parts";
import { Pagination } from "@/components/data-table/pagination";
import { splitList } from "@/components/form/split-list";
import { formatMoney, formatQuota, type QuotaDisplay } from "@/components/format/quota";
import { GroupBadge } from "@/components/token/group-badge";
import { Badge } from "@/components/ui/badge";
import type { Channel } from "@/lib/channel/types";
import type { Page } from "@/lib/page";
import { ChannelActions, type ChannelRowActions } from "./channel-actions";
import { ChannelStatus } from "./channel-status";
import { ChannelType } from "./channel-type";
import { ResponseTime } from "./response-time";

type ChannelTableProps = {
  page: Promise<Page<Channel>>;
  site: Promise<{ quotaDisplay: QuotaDisplay }>;
  filtered: boolean;
  actions: ChannelRowActions;
};

export async function ChannelTable({ page, site, filtered, actions }: ChannelTableProps) {
  const [{ items, total, ...paging }, { quotaDisplay }] = await Promise.all([page, site]);
  const t = await getTranslations("channel");
  if (total === 0 && filtered)
    return <EmptyList icon={<SearchX aria-hidden />} title={t("noMatchTitle")} text={t("noMatchText")} />;
  if (total === 0)
    return (
      <EmptyList icon={<Network aria-hidden />} title={t("emptyTitle")} text={t("emptyText")}>
        <CreateButton label={t("add")} />
      </EmptyList>
    );
  return (
    <>
      <DataTable
        caption={t("title")}
        columns={[...(await identityColumns()), ...(await figureColumns(quotaDisplay, actions))]}
        rows={items}
        rowKey={(channel) => channel.id}
        isMuted={(channel) => channel.status !== 1}
      />
      <Pagination {...paging} total={total} />
    </>
  );
}

async function identityColumns(): Promise<Column<Channel>[]> {
  const t = await getTranslations("channel");
  return [
    {
      id: "id",
      header: t("id"),
      sort: "id",
      className: "text-muted-foreground tabular-nums",
      cell: (channel) => channel.id,
    },
    {
      id: "name",
      header: t("name"),
      sort: "name",
      heading: true,
      className: "md:max-w-60",
      cell: (channel) => (
        <span className="flex min-w-0 flex-wrap items-center gap-x-2 gap-y-0.5">
          <span className="truncate font-medium">{channel.name}</span>
          <span className="font-normal text-muted-foreground text-xs">
            {t("modelCount", { count: splitList(channel.models).length })}
            {channel.tag ? ` · ${channel.tag}` : ""}
          </span>
        </span>
      ),
    },
    { id: "type", header: t("type"), cell: (channel) => <ChannelType type={channel.type} /> },
    {
      id: "groups",
      header: t("groups"),
      from: "xl",
      cell: (channel) => <Groups groups={splitList(channel.group)} />,
    },
    {
      id: "status",
      header: t("status"),
      cell: (channel) => (
        <ChannelStatus
          status={channel.status}
          reason={channel.otherInfo.status_reason}
          since={channel.otherInfo.status_time}
        />
      ),
    },
  ];
}

async function figureColumns(display: QuotaDisplay, actions: ChannelRowActions): Promise<Column<Channel>[]> {
  const [t, common] = await Promise.all([getTranslations("channel"), getTranslations("common")]);
  return [
    {
      id: "responseTime",
      header: t("responseTime"),
      sort: "responseTime",
      cell: (channel) => <ResponseTime milliseconds={channel.responseTime} testedAt={channel.testTime} />,
    },
    {
      id: "used",
      header: t("used"),
      sort: "usedQuota",
      align: "right",
      cell: (channel) => formatQuota(channel.usedQuota, display),
    },
    {
      id: "balance",
      header: t("balance"),
      sort: "balance",
      align: "right",
      from: "2xl",
      cell: (channel) => (channel.balanceUpdatedTime > 0 ? formatMoney(channel.balance, display.symbol) : "—"),
    },
    {
      id: "priority",
      header: t("priority"),
      sort: "priority",
      align: "right",
      cell: (channel) => channel.priority,
    },
    { id: "weight", header: t("weight"), sort: "weight", align: "right", cell: (channel) => channel.weight },
    {
      id: "actions",
      header: common("actions"),
      className: "md:w-px",
      cell: (channel) => <ChannelActions channel={channel} actions={actions} />,
    },
  ];
}

const GROUPS_SHOWN = 3;

function Groups({ groups }: { groups: string[] }) {
  const sorted = groups.toSorted((a, b) => Number(b === "default") - Number(a === "default") || a.localeCompare(b));
  return (
    <span className="flex flex-wrap gap-1 max-md:justify-end">
      {sorted.slice(0, GROUPS_SHOWN).map((group) => (
        <GroupBadge key={group} group={group} />
      ))}
      {sorted.length > GROUPS_SHOWN ? <Badge>{`+${sorted.length - GROUPS_SHOWN}`}</Badge> : null}
    </span>
  );
}
