"use client";

import { useTranslations } from "next-intl";
import type { Column } from "@/components/data-table/column";
import { DataTable } from "@/components/data-table/data-table";
import { useQuotaDisplay } from "@/components/format/quota-display";
import { Time } from "@/components/format/time";
import type { AlertFiring } from "@/lib/alert/types";
import { formatAlertValue } from "./alert-units";

/** When rules fired, newest first. */
export function AlertHistory({ firings }: { firings: AlertFiring[] }) {
  const t = useTranslations("alert");
  const display = useQuotaDisplay();
  if (firings.length === 0) return <p className="text-muted-foreground">{t("historyEmpty")}</p>;
  const columns: Column<AlertFiring>[] = [
    { id: "started", header: t("started"), cell: (row) => <Time seconds={row.startedAt} /> },
    { id: "rule", header: t("rule"), cell: (row) => row.ruleName || t(`metric.${row.metric}`) },
    {
      id: "value",
      header: t("value"),
      align: "right",
      cell: (row) => formatAlertValue(row.metric, row.value, display),
    },
    {
      id: "ended",
      header: t("ended"),
      cell: (row) => (row.endedAt === null ? t("stillFiring") : <Time seconds={row.endedAt} />),
    },
    { id: "sent", header: t("message"), cell: (row) => (row.notified ? t("sent") : t("notSent")) },
  ];
  return <DataTable caption={t("history")} columns={columns} rows={firings} rowKey={(row) => row.id} />;
}
