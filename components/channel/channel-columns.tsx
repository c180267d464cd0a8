import { KeyRound, Unplug } from "lucide-react";
import { useTranslations } from "next-intl";
import { getTranslations } from "next-intl/server";
import { type ReactNode, Suspense } from "react";
import type { Column } from "@/components/data-table/column";
import { PeekButton } from "@/components/data-table/peek-button";
import { splitList } from "@/components/form/split-list";
import { GroupBadge } from "@/components/format/group-badge";
import { Hint } from "@/components/overlay/hint";
import { Badge, badgeVariants } from "@/components/ui/badge";
import { cn } from "@/components/ui/class-names";
import { Link } from "@/components/ui/link";
import { Skeleton } from "@/components/ui/skeleton";
import type { TagRow } from "@/lib/channel/tag-types";
import type { Channel, ChannelCircuit, KeyCount } from "@/lib/channel/types";
import type { RecentTraffic } from "@/lib/health/traffic";
import { CHANNEL_STATUS } from "@/lib/row-status";
import { AutoDisabledStatus } from "./auto-disabled-status";
import { BalanceCell, UsedQuota } from "./balance-cell";
import { ChannelActions } from "./channel-actions";
import { ChannelStatus } from "./channel-status";
import { ChannelType } from "./channel-types";
import { LastTest, TestTime } from "./last-test";
import { PriorityCell, WeightCell } from "./number-cells";
import { SelectCell, SelectPage, SelectTag } from "./select-cell";
import { TagActions } from "./tag-actions";
import { TagHeading } from "./tag-heading";
import { SpeedCell, SuccessCell } from "./traffic-cells";

/** That a channel, though enabled, has open circuits; nothing where it has none. */
function CircuitBadge({ count }: { count: number }) {
  const t = useTranslations("channel");
  if (count === 0) return null;
  return (
    <Badge hue="orange">
      <Unplug aria-hidden />
      {t("circuitsOpen", { count })}
    </Badge>
  );
}

type IdentityProps = {
  /** The channels of the page. */
  rows: { id: number; name: string }[];
  keyCounts: ReadonlyMap<number, KeyCount>;
  circuits: ReadonlyMap<number, ChannelCircuit[]>;
  open: readonly string[] | null;
  /** Whether the groups stand below the name, and the last test below the status, where their columns are hidden. */
  hasGroups: boolean;
  hasLastTest: boolean;
};

/** Columns that identify a row: id, name, groups, type and status, in the order of B047. */
export async function identityColumns(props: IdentityProps): Promise<Column<TagRow>[]> {
  const { rows, keyCounts, circuits, open, hasGroups, hasLastTest } = props;
  const t = await getTranslations("channel");
  return [
    {
      id: "id",
      header: t("id"),
      sort: "id",
      head: <SelectPage rows={rows} />,
      className: "text-muted-foreground tabular-nums md:w-px",
      cell: (row) =>
        row.kind === "tag" ? (
          <SelectTag tag={row.summary.tag} ids={row.summary.ids} />
        ) : (
          <span className={cn("flex items-center gap-2", row.isMember && "md:pl-4")}>
            <SelectCell channel={row.channel} />
            <PeekButton id={row.channel.id} name={row.channel.name}>
              {String(row.channel.id)}
            </PeekButton>
          </span>
        ),
    },
    {
      id: "name",
      header: t("name"),
      sort: "name",
      heading: true,
      className: "md:max-w-44 min-[1840px]:max-w-56",
      cell: (row) =>
        row.kind === "tag" ? (
          <TagHeading
            tag={row.summary.tag}
            members={row.summary.members}
            isOpen={open?.includes(row.summary.tag) ?? false}
          />
        ) : (
          <Name channel={row.channel} keys={keyCounts.get(row.channel.id)} isMember={row.isMember}>
            {hasGroups ? <Groups groups={splitList(row.channel.group)} /> : null}
          </Name>
        ),
    },
    {
      id: "groups",
      header: t("groups"),
      from: "full",
      cell: (row) => <Groups groups={splitList(row.kind === "tag" ? row.summary.group : row.channel.group)} />,
    },
    {
      id: "type",
      header: t("type"),
      sort: "type",
      cell: (row) =>
        row.kind === "tag" ? (
          <Badge hue="light-blue">{t("tagAggregate")}</Badge>
        ) : (
          <ChannelType type={row.channel.type} />
        ),
    },
    {
      id: "status",
      header: t("status"),
      sort: "status",
      cell: (row) => <Status row={row} circuits={circuits} hasLastTest={hasLastTest} />,
    },
  ];
}

type StatusProps = { row: TagRow } & Pick<IdentityProps, "circuits" | "hasLastTest">;

function Status({ row, circuits, hasLastTest }: StatusProps) {
  if (row.kind === "tag")
    return (
      <span className="inline-flex items-center gap-1.5">
        <ChannelStatus status={row.summary.enabled > 0 ? CHANNEL_STATUS.enabled : CHANNEL_STATUS.disabled} />
        <span className="text-muted-foreground text-xs tabular-nums">{`${row.summary.enabled}/${row.summary.members}`}</span>
      </span>
    );
  return (
    <span className="inline-flex flex-col items-start gap-0.5 max-md:items-end">
      {row.channel.status === CHANNEL_STATUS.autoDisabled ? (
        <AutoDisabledStatus otherInfo={row.channel.otherInfo} />
      ) : (
        <ChannelStatus status={row.channel.status} />
      )}
      <CircuitBadge
        count={row.channel.status === CHANNEL_STATUS.enabled ? (circuits.get(row.channel.id)?.length ?? 0) : 0}
      />
      {hasLastTest ? (
        <span className="max-md:hidden min-[1840px]:hidden">
          <LastTest channel={row.channel} isBrief />
        </span>
      ) : null}
    </span>
  );
}

type NameProps = {
  channel: Channel;
  keys: KeyCount | undefined;
  isMember: boolean;
  /** The groups, where the table is too narrow for their column. */
  children: ReactNode;
};

async function Name({ channel, keys, isMember, children }: NameProps) {
  const t = await getTranslations("channel");
  return (
    <span className={cn("flex min-w-0 flex-col gap-0.5", isMember && "border-l-2 pl-3 md:ml-1.5")}>
      <Link href={`/channel/${channel.id}`} className="truncate font-medium hover:underline" title={channel.name}>
        {channel.name}
      </Link>
      <span className="flex min-w-0 flex-wrap items-center gap-x-2 gap-y-0.5 font-normal text-muted-foreground text-xs">
        {t("modelCount", { count: splitList(channel.models).length })}
        {channel.tag ? (
          <span dir="auto" className="truncate">
            {channel.tag}
          </span>
        ) : null}
        {keys ? (
          <span className={badgeVariants({ hue: keys.inUse === keys.total ? "grey" : "amber" })}>
            <KeyRound aria-hidden />
            {t("keysInUse", { inUse: keys.inUse, total: keys.total })}
          </span>
        ) : null}
        {children ? <span className="max-md:hidden min-[1840px]:hidden">{children}</span> : null}
      </span>
    </span>
  );
}

type FigureProps = { traffic: Promise<Map<number, RecentTraffic>> };

/** Columns of figures: traffic, the last test, cost, priority and weight, and the row's actions. */
export async function figureColumns({ traffic }: FigureProps): Promise<Column<TagRow>[]> {
  const [t, common] = await Promise.all([getTranslations("channel"), getTranslations("common")]);
  return [
    ...(await trafficColumns(traffic)),
    {
      id: "responseTime",
      header: (await getTranslations("channelTraffic"))("lastTest"),
      sort: "testTime",
      // The live figures matter more, where there is not room for both.
      from: "full",
      cell: (row) =>
        row.kind === "tag" ? <TestTime milliseconds={row.summary.responseTime} /> : <LastTest channel={row.channel} />,
    },
    {
      id: "used",
      header: t("usedAndLeft"),
      sort: "usedQuota",
      align: "right",
      cell: (row) =>
        row.kind === "tag" ? <UsedQuota quota={row.summary.usedQuota} /> : <BalanceCell channel={row.channel} />,
    },
    {
      id: "priority",
      header: t("priority"),
      sort: "priority",
      align: "right",
      cell: (row) => <PriorityCell row={row} />,
    },
    {
      id: "weight",
      header: t("weight"),
      sort: "weight",
      align: "right",
      cell: (row) => <WeightCell row={row} />,
    },
    {
      id: "actions",
      pinned: true,
      header: common("actions"),
      className: "md:w-px",
      cell: (row) =>
        row.kind === "tag" ? <TagActions tag={row.summary.tag} /> : <ChannelActions channel={row.channel} />,
    },
  ];
}

async function trafficColumns(traffic: FigureProps["traffic"]): Promise<Column<TagRow>[]> {
  const t = await getTranslations("channelTraffic");
  const streamed = (cell: ReactNode) => <Suspense fallback={<Skeleton className="h-9 w-20" />}>{cell}</Suspense>;
  return [
    {
      id: "health",
      header: t("successRate"),
      sort: "successRate",
      cell: (row) => (row.kind === "tag" ? null : streamed(<SuccessCell traffic={traffic} id={row.channel.id} />)),
    },
    {
      id: "speed",
      header: t("speed"),
      sort: "p95Ms",
      cell: (row) => (row.kind === "tag" ? null : streamed(<SpeedCell traffic={traffic} id={row.channel.id} />)),
    },
  ];
}

const GROUPS_SHOWN = 2;

function Groups({ groups }: { groups: string[] }) {
  const sorted = groups.toSorted((a, b) => Number(b === "default") - Number(a === "default") || a.localeCompare(b));
  return (
    <span className="flex gap-1 max-md:justify-end">
      {sorted.slice(0, GROUPS_SHOWN).map((group) => (
        <GroupBadge key={group} group={group} />
      ))}
      {sorted.length > GROUPS_SHOWN ? <More groups={sorted.slice(GROUPS_SHOWN)} /> : null}
    </span>
  );
}

/** The number of further groups; their names on hover, on focus and for screen readers. */
function More({ groups }: { groups: string[] }) {
  const names = groups.join(", ");
  return (
    <Hint label={names}>
      <button type="button" aria-label={names} className={badgeVariants({ hue: "grey" })}>{`+${groups.length}`}</button>
    </Hint>
  );
}
