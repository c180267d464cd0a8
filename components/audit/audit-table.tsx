"use client";

import { ChevronRight } from "lucide-react";
import type { Route } from "next";
import { useTranslations } from "next-intl";
import { useState } from "react";
import type { Column } from "@/components/data-table/column";
import { DataTable } from "@/components/data-table/data-table";
import { Time } from "@/components/format/time";
import { Badge, hueOf } from "@/components/ui/badge";
import { Button } from "@/components/ui/button";
import { cn } from "@/components/ui/class-names";
import { Link } from "@/components/ui/link";
import type { AuditRow } from "@/lib/audit/types";
import { useActionName } from "./action-name";
import { DifferenceView } from "./difference-view";

/** Link to the subject of an entry, by entry id. */
type Hrefs = Readonly<Record<number, Route>>;

/** Entries of the audit log; each one expands to its difference. */
export function AuditTable({ rows, hrefs }: { rows: AuditRow[]; hrefs: Hrefs }) {
  const t = useTranslations("audit");
  const [opened, setOpened] = useState<ReadonlySet<number>>(new Set());
  const onToggle = (id: number) =>
    setOpened((before) =>
      before.has(id) ? new Set([...before].filter((other) => other !== id)) : new Set([...before, id]),
    );
  const columns = useAuditColumns(opened, onToggle, hrefs);
  return (
    <DataTable
      caption={t("title")}
      columns={columns}
      rows={rows}
      rowKey={(row) => row.id}
      detail={(row) =>
        opened.has(row.id) ? <DifferenceView difference={row.difference} subject={row.subject} /> : null
      }
    />
  );
}

function useAuditColumns(
  opened: ReadonlySet<number>,
  onToggle: (id: number) => void,
  hrefs: Hrefs,
): Column<AuditRow>[] {
  const t = useTranslations("audit");
  const actionName = useActionName();
  return [
    {
      id: "time",
      header: t("time"),
      heading: true,
      cell: (row) => (
        <span className="flex items-center gap-1.5">
          <ExpandButton row={row} open={opened.has(row.id)} onToggle={onToggle} />
          <Time seconds={row.createdAt} />
        </span>
      ),
    },
    { id: "actor", header: t("actor"), cell: (row) => <Actor row={row} /> },
    {
      id: "action",
      header: t("action"),
      cell: (row) => <Badge hue={hueOf(row.action.split(".")[0] ?? "")}>{actionName(row.action)}</Badge>,
    },
    {
      id: "subject",
      header: t("subject"),
      className: "break-all font-mono text-xs",
      cell: (row) => <Subject row={row} href={hrefs[row.id]} />,
    },
    { id: "changes", header: t("changes"), cell: (row) => <Summary row={row} /> },
    { id: "address", header: t("address"), className: "font-mono text-xs", cell: (row) => row.clientIp || "—" },
  ];
}

function Actor({ row }: { row: AuditRow }) {
  const t = useTranslations("audit");
  if (row.actorKind !== "user") return <Badge>{row.actorKind === "job" ? t("job") : t("anonymous")}</Badge>;
  return (
    <span>
      {row.actorName || t("gone")} <span className="text-muted-foreground text-xs">#{row.actorId}</span>
    </span>
  );
}

function Subject({ row, href }: { row: AuditRow; href: Route | undefined }) {
  if (href === undefined) return row.subject;
  return (
    <Link href={href} className="rounded text-primary hover:underline">
      {row.subject}
    </Link>
  );
}

/** The first changed key and the number of others. Keys are record names, so they are not translated. */
function Summary({ row }: { row: AuditRow }) {
  const { difference } = row;
  if (difference.kind !== "keys" || difference.changes.length === 0) return "—";
  const [first, ...rest] = difference.changes;
  const more = rest.length + difference.more;
  return (
    <span className="text-muted-foreground text-xs">
      <span className="font-mono" data-user-text>
        {first?.key}
      </span>
      {more > 0 ? ` +${more}` : ""}
    </span>
  );
}

type ExpandButtonProps = { row: AuditRow; open: boolean; onToggle: (id: number) => void };

function ExpandButton({ row, open, onToggle }: ExpandButtonProps) {
  const t = useTranslations("audit");
  return (
    <Button
      variant="ghost"
      size="icon"
      className="size-7 text-muted-foreground"
      aria-expanded={open}
      aria-label={open ? t("collapse", { id: String(row.id) }) : t("expand", { id: String(row.id) })}
      onClick={() => onToggle(row.id)}
    >
      <ChevronRight className={cn("transition-transform", open && "rotate-90")} />
    </Button>
  );
}
