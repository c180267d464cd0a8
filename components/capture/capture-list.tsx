"use client";

import { useTranslations } from "next-intl";
import type { Column } from "@/components/data-table/column";
import { DataTable } from "@/components/data-table/data-table";
import { ModelChip } from "@/components/format/model-chip";
import { Time } from "@/components/format/time";
import { Link } from "@/components/ui/link";
import type { CaptureRow } from "@/lib/capture/types";

/** The captures that are kept, newest first. */
export function CaptureList({ rows }: { rows: CaptureRow[] }) {
  const t = useTranslations("capture");
  const columns: Column<CaptureRow>[] = [
    {
      id: "time",
      header: t("time"),
      heading: true,
      cell: (row) => (
        <Link href={`/capture?id=${row.id}`} scroll={false} className="text-primary hover:underline">
          <Time seconds={row.createdAt} />
        </Link>
      ),
    },
    { id: "key", header: t("key"), cell: (row) => <Key row={row} /> },
    { id: "model", header: t("model"), cell: (row) => (row.modelName ? <ModelChip model={row.modelName} /> : "—") },
    { id: "path", header: t("path"), from: "xl", cell: (row) => row.path },
    { id: "status", header: t("status"), cell: (row) => (row.status === 0 ? t("cut") : String(row.status)) },
    {
      id: "size",
      header: t("size"),
      align: "right",
      cell: (row) => t("sizes", { request: kilobytes(row.requestBytes), answer: kilobytes(row.answerBytes) }),
    },
    { id: "expires", header: t("expires"), from: "xl", cell: (row) => <Time seconds={row.expiresAt} /> },
  ];
  return <DataTable caption={t("list")} columns={columns} rows={rows} rowKey={(row) => row.id} />;
}

/** A deleted key has no name, and nothing to open. */
function Key({ row: { tokenId, tokenName } }: { row: CaptureRow }) {
  if (tokenName === null) return `#${tokenId}`;
  return (
    <Link href={`/token?peek=${tokenId}`} className="rounded hover:underline">
      {tokenName}
    </Link>
  );
}

const kilobytes = (bytes: number): string => (bytes / 1_024).toFixed(1);
