"use client";

import type { Route } from "next";
import { useTranslations } from "next-intl";
import type { Column } from "@/components/data-table/column";
import { DataTable } from "@/components/data-table/data-table";
import { RowPeek } from "@/components/data-table/row-peek";
import { useOpened } from "@/components/data-table/use-opened";
import { usePeek } from "@/components/data-table/use-peek";
import { Time } from "@/components/format/time";
import { Badge, hueOf } from "@/components/ui/badge";
import { Link } from "@/components/ui/link";
import type { AuditRow } from "@/lib/audit/types";
import { useActionName } from "./action-name";
import { ChangeSummary } from "./change-summary";
import { DifferenceView } from "./difference-view";
import { ExpandButton } from "./expand-button";

/** Link to the subject of an entry, by entry id. */
type Hrefs = Readonly<Record<number, Route>>;

/** Entries of the audit log; each one expands to its difference. */
export function AuditTable({ rows, hrefs }: { rows: AuditRow[]; hrefs: Hrefs }) {
  const t = useTranslations("audit");
  const { opened, toggle } = useOpened();
  const columns = useAuditColumns(opened, toggle, hrefs);
  const { peek, open, move } = usePeek();
  const actionName = useActionName();
  const peeked = rows.find(({ id }) => String(id) === peek);
  return (
    <>
      <DataTable
        caption={t("title")}
        columns={columns}
        rows={rows}
        rowKey={(row) => row.id}
        onRow={(row) => open(String(row.id))}
        detail={(row) =>
          opened.has(row.id) ? <DifferenceView difference={row.difference} subject={row.subject} /> : null
        }
      />
      <RowPeek
        peek={peeked ? String(peeked.id) : null}
        keys={rows.map(({ id }) => String(id))}
        title={peeked ? actionName(peeked.action) : t("title")}
        onMove={move}
        focusRow={(key) => document.getElementById(`audit-${key}`)?.focus()}
      >
        {peeked ? <AuditDetail row={peeked} /> : null}
      </RowPeek>
    </>
  );
}

function AuditDetail({ row }: { row: AuditRow }) {
  return (
    <div className="flex flex-col gap-3">
      <p className="flex flex-wrap gap-x-3 gap-y-1 text-sm">
        <Time seconds={row.createdAt} />
        <Actor row={row} />
        <span dir="auto" className="break-all font-mono text-xs leading-5">
          {row.subject}
        </span>
      </p>
      <DifferenceView difference={row.difference} subject={row.subject} />
    </div>
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
          <ExpandButton id={row.id} opened={opened} onToggle={onToggle} />
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
    { id: "changes", header: t("changes"), cell: (row) => <ChangeSummary row={row} /> },
    { id: "address", header: t("address"), className: "font-mono text-xs", cell: (row) => row.clientIp || "—" },
  ];
}

function Actor({ row }: { row: AuditRow }) {
  const t = useTranslations("audit");
  if (row.actorKind === "command-line") return <Badge>{t("commandLine")}</Badge>;
  if (row.actorKind !== "user") return <Badge>{row.actorKind === "job" ? t("job") : t("anonymous")}</Badge>;
  const id = <span className="text-muted-foreground text-xs">#{row.actorId}</span>;
  if (!row.actorName)
    return (
      <span>
        {t("gone")} {id}
      </span>
    );
  return (
    <Link href={`/user/${row.actorId}`} className="rounded hover:underline">
      {row.actorName} {id}
    </Link>
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
