"use client";

import { Undo2 } from "lucide-react";
import { useTranslations } from "next-intl";
import { useState } from "react";
import type { Column } from "@/components/data-table/column";
import { DataTable } from "@/components/data-table/data-table";
import { ConfirmDialog } from "@/components/form/confirm-dialog";
import { useRunAction } from "@/components/form/use-run-action";
import { Time } from "@/components/format/time";
import { Badge } from "@/components/ui/badge";
import { Button } from "@/components/ui/button";
import { Link } from "@/components/ui/link";
import { toast } from "@/components/ui/toast";
import type { PriceChangeEntry, PriceChangeRow } from "@/lib/pricing/history/types";
import { undoPriceChange } from "./actions";

type HistoryTableProps = {
  rows: PriceChangeRow[];
};

/** Changes of prices, each with what was changed and its undo. */
export function HistoryTable({ rows }: HistoryTableProps) {
  const t = useTranslations("priceHistory");
  const { pending, run } = useRunAction();
  const [asked, setAsked] = useState<PriceChangeRow | null>(null);
  const onUndo = () => {
    if (!asked) return;
    run(
      () => undoPriceChange({ id: asked.id }),
      ({ count }) => {
        toast.success(t("undone", { count }));
        setAsked(null);
      },
      () => setAsked(null),
    );
  };
  const columns: Column<PriceChangeRow>[] = [
    { id: "time", header: t("time"), heading: true, cell: (row) => <Time seconds={row.createdAt} /> },
    { id: "who", header: t("who"), cell: (row) => <Who row={row} /> },
    { id: "source", header: t("from"), cell: (row) => <Source row={row} /> },
    {
      id: "what",
      header: t("what"),
      className: "max-md:flex-col max-md:items-start",
      cell: (row) => <Entries row={row} />,
    },
    {
      id: "undo",
      header: t("undo"),
      align: "right",
      cell: (row) => <UndoCell row={row} onUndo={() => setAsked(row)} />,
    },
  ];
  return (
    <>
      <DataTable caption={t("title")} columns={columns} rows={rows} rowKey={({ id }) => id} />
      <ConfirmDialog
        open={asked !== null}
        onClose={() => setAsked(null)}
        onConfirm={onUndo}
        pending={pending}
        danger={false}
        title={t("undoTitle", { count: asked?.names ?? 0 })}
        text={t("undoText")}
        confirm={t("undo")}
      />
    </>
  );
}

function Who({ row }: { row: PriceChangeRow }) {
  const t = useTranslations("priceHistory");
  const who = row.actorName || (row.actorId === null ? t("job") : `#${row.actorId}`);
  return (
    <span className="inline-flex flex-col max-md:items-end">
      {row.actorId !== null && row.actorName ? (
        <Link href={`/user/${row.actorId}`} className="rounded hover:underline">
          {who}
        </Link>
      ) : (
        <span>{who}</span>
      )}
      {row.clientIp ? <span className="font-mono text-muted-foreground text-xs">{row.clientIp}</span> : null}
    </span>
  );
}

function Source({ row }: { row: PriceChangeRow }) {
  const t = useTranslations("priceHistory");
  return (
    <span className="flex flex-wrap gap-1">
      <Badge hue={row.source === "undo" ? "amber" : "blue"}>{t(`source.${row.source}`)}</Badge>
      {row.undoOf === null ? null : <Badge>{t("undoOf", { id: String(row.undoOf) })}</Badge>}
      {row.undoneBy === null ? null : <Badge>{t("wasUndone")}</Badge>}
    </span>
  );
}

function Entries({ row }: { row: PriceChangeRow }) {
  const t = useTranslations("priceHistory");
  return (
    <ul className="flex flex-col gap-0.5 text-xs max-md:text-left">
      {row.entries.map((entry) => (
        <li dir="auto" key={`${entry.key} ${entry.name}`} className="break-words">
          <span dir="auto" className="break-all font-medium">
            {entry.name}
          </span>{" "}
          <span className="text-muted-foreground">{t(`key.${entry.key}`)}</span> <Values entry={entry} />
        </li>
      ))}
      {row.more > 0 ? <li className="text-muted-foreground">{t("more", { count: row.more })}</li> : null}
    </ul>
  );
}

function Values({ entry: { before, after } }: { entry: PriceChangeEntry }) {
  const t = useTranslations("priceHistory");
  const text = (value: unknown) => (value === null ? t("notSet") : valueText(value));
  return (
    <span className="tabular-nums">
      <del className="text-muted-foreground">{text(before)}</del> <span aria-hidden>→</span>{" "}
      <span className="font-medium">{text(after)}</span>
    </span>
  );
}

function valueText(value: unknown): string {
  if (typeof value !== "object" || value === null) return String(value);
  return Object.entries(value)
    .map(([key, price]) => `${key}: ${String(price)}`)
    .join(", ");
}

function UndoCell({ row, onUndo }: { row: PriceChangeRow; onUndo: () => void }) {
  const t = useTranslations("priceHistory");
  if (row.isOvertaken) return <span className="text-muted-foreground text-xs">{t("overtaken")}</span>;
  return (
    <Button onClick={onUndo} aria-label={t("undoOne", { id: String(row.id) })}>
      <Undo2 aria-hidden />
      {t("undo")}
    </Button>
  );
}
