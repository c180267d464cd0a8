"use client";

import { ChevronRight } from "lucide-react";
import { useTranslations } from "next-intl";
import { useState } from "react";
import type { Column } from "@/components/data-table/column";
import { DataTable } from "@/components/data-table/data-table";
import { formatQuota } from "@/components/format/quota";
import { useQuotaDisplay } from "@/components/format/quota-display";
import { Time } from "@/components/format/time";
import { GroupBadge } from "@/components/token/group-badge";
import { Badge, hueOf } from "@/components/ui/badge";
import { Button } from "@/components/ui/button";
import { cn } from "@/components/ui/class-names";
import type { UsageLog } from "@/lib/log/types";
import { LogDetail } from "./log-detail";
import { LogTiming } from "./log-timing";
import { LogType } from "./log-type";

type LogTableProps = { rows: UsageLog[]; isAdmin: boolean };

/** Rows of the usage log; each opens to show how its charge came about. */
export function LogTable({ rows, isAdmin }: LogTableProps) {
  const t = useTranslations("log");
  const [opened, setOpened] = useState<ReadonlySet<number>>(new Set());
  const onToggle = (id: number) =>
    setOpened((before) =>
      before.has(id) ? new Set([...before].filter((other) => other !== id)) : new Set([...before, id]),
    );
  const columns = useColumns(isAdmin, opened, onToggle);
  return (
    <DataTable
      caption={t("title")}
      columns={columns}
      rows={rows}
      rowKey={(row) => row.id}
      detail={(row) => (opened.has(row.id) ? <LogDetail row={row} /> : null)}
    />
  );
}

function useColumns(isAdmin: boolean, opened: ReadonlySet<number>, onToggle: (id: number) => void): Column<UsageLog>[] {
  const t = useTranslations("log");
  const common = useTranslations("common");
  const display = useQuotaDisplay();
  const isCall = (row: UsageLog) => row.type === 2 || row.type === 5;
  const time: Column<UsageLog> = {
    id: "time",
    header: t("time"),
    heading: true,
    cell: (row) => (
      <span className="flex items-center gap-1.5">
        <ExpandButton row={row} open={opened.has(row.id)} onToggle={onToggle} />
        <Time seconds={row.createdAt} />
      </span>
    ),
  };
  const adminColumns: Column<UsageLog>[] = [
    { id: "channel", header: t("channel"), cell: (row) => (row.channelId > 0 ? <ChannelTag row={row} /> : "—") },
    { id: "user", header: t("user"), className: "truncate md:max-w-36", cell: (row) => row.username || "—" },
  ];
  const rest: Column<UsageLog>[] = [
    { id: "token", header: t("token"), className: "truncate md:max-w-36", cell: (row) => row.tokenName || "—" },
    {
      id: "group",
      header: t("group"),
      from: "2xl",
      cell: (row) => (row.group ? <GroupBadge group={row.group} /> : "—"),
    },
    { id: "type", header: t("type"), cell: (row) => <LogType type={row.type} /> },
    {
      id: "model",
      header: t("model"),
      cell: (row) => (row.modelName ? <Badge hue={hueOf(row.modelName)}>{row.modelName}</Badge> : "—"),
    },
    { id: "useTime", header: t("useTime"), cell: (row) => (isCall(row) ? <LogTiming {...row} /> : "—") },
    {
      id: "prompt",
      header: t("prompt"),
      align: "right",
      cell: (row) => (row.promptTokens > 0 ? row.promptTokens : "—"),
    },
    {
      id: "completion",
      header: t("completion"),
      align: "right",
      cell: (row) => (row.completionTokens > 0 ? row.completionTokens : "—"),
    },
    {
      id: "cost",
      header: t("cost"),
      align: "right",
      className: "font-medium",
      cell: (row) =>
        row.type === 2
          ? formatQuota(row.quota, display, 6)
          : row.quota !== 0
            ? formatQuota(row.quota, display)
            : common("none"),
    },
  ];
  return isAdmin ? [time, ...adminColumns, ...rest] : [time, ...rest];
}

type ExpandButtonProps = { row: UsageLog; open: boolean; onToggle: (id: number) => void };

function ExpandButton({ row, open, onToggle }: ExpandButtonProps) {
  const t = useTranslations("log");
  const model = row.modelName || String(row.id);
  return (
    <Button
      variant="ghost"
      size="icon"
      className="size-7 text-muted-foreground"
      aria-expanded={open}
      aria-label={open ? t("collapse", { model }) : t("expand", { model })}
      onClick={() => onToggle(row.id)}
    >
      <ChevronRight className={cn("transition-transform", open && "rotate-90")} />
    </Button>
  );
}

function ChannelTag({ row }: { row: UsageLog }) {
  return (
    <Badge hue={hueOf(String(row.channelId))} title={row.channelName} className="whitespace-nowrap">
      #{row.channelId}
      <span className="max-w-24 truncate font-normal max-2xl:hidden">{row.channelName}</span>
    </Badge>
  );
}
