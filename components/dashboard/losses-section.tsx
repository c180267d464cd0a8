"use client";

import { useTranslations } from "next-intl";
import type { Column } from "@/components/data-table/column";
import { DataTable } from "@/components/data-table/data-table";
import { ExportMenu } from "@/components/data-table/export-menu";
import { formatNumber, formatQuota } from "@/components/format/quota";
import { useQuotaDisplay } from "@/components/format/quota-display";
import { Link } from "@/components/ui/link";
import { priceListPath } from "@/lib/pricing/price-list-path";
import type { LossReport, LossRow, MarginWindow } from "@/lib/statistics/margin-types";
import { exportQuery } from "./dashboard-search";
import { lossHref } from "./margin-drill";
import { Panel } from "./panel";

type LossesSectionProps = {
  report: LossReport;
  window: MarginWindow;
  /** Only the root user sets prices. */
  canSetPrices: boolean;
};

/** Models that cost more at a channel than they bring in, with ways to mend it (administrators only). */
export function LossesSection({ report, window, canSetPrices }: LossesSectionProps) {
  const t = useTranslations("dashboard");
  const display = useQuotaDisplay();
  const columns = useColumns(report, canSetPrices);
  return (
    <Panel
      title={t("lossesTitle")}
      aside={report.count > 0 ? <ExportMenu path="/detail/export" query={exportQuery(window, "losses")} /> : undefined}
    >
      <p className="px-4 pt-3 text-muted-foreground text-xs">
        {report.count === 0
          ? t("lossesNone")
          : `${t("lossesLead")} · ${t("lossesSum", { count: report.count, amount: formatQuota(report.loss, display, 4) })}`}
        {report.from > window.from ? ` · ${t("lossesSince")}` : ""}
      </p>
      {report.rows.length > 0 ? (
        <div className="pt-2">
          <DataTable
            caption={t("lossesTitle")}
            columns={columns}
            rows={report.rows}
            rowKey={(row) => `${row.channelId} ${row.modelName}`}
          />
        </div>
      ) : (
        <div className="h-3" />
      )}
    </Panel>
  );
}

function useColumns(report: LossReport, canSetPrices: boolean): Column<LossRow>[] {
  const t = useTranslations("dashboard");
  const display = useQuotaDisplay();
  const money = (value: number) => formatQuota(value, display, 4);
  return [
    {
      id: "model",
      header: t("split_model"),
      heading: true,
      cell: (row) => (
        <Link href={lossHref(report, row)} className="break-all hover:underline">
          {row.modelName || t("unnamed")}
        </Link>
      ),
    },
    {
      id: "channel",
      header: t("split_channel"),
      cell: (row) => {
        const name = row.channelName || t("gone", { id: String(row.channelId) });
        return row.channelName ? (
          <Link href={`/channel/${row.channelId}`} className="hover:underline">
            {`#${row.channelId} ${name}`}
          </Link>
        ) : (
          name
        );
      },
    },
    { id: "count", header: t("metric_count"), align: "right", cell: (row) => formatNumber(row.count) },
    { id: "sold", header: t("sold"), align: "right", cell: (row) => money(row.sold) },
    {
      id: "bought",
      header: t("bought"),
      align: "right",
      cell: (row) => `${row.unknown > 0 ? "≥ " : ""}${money(row.bought)}`,
    },
    {
      id: "loss",
      header: t("loss"),
      align: "right",
      cell: (row) => <span className="font-medium text-destructive">{money(row.bought - row.sold)}</span>,
    },
    { id: "mend", header: "", align: "right", cell: (row) => <Mending row={row} canSetPrices={canSetPrices} /> },
  ];
}

function Mending({ row, canSetPrices }: { row: LossRow; canSetPrices: boolean }) {
  const t = useTranslations("dashboard");
  const classes = "whitespace-nowrap text-primary text-xs hover:underline";
  return (
    <span className="inline-flex flex-wrap justify-end gap-x-3">
      {canSetPrices ? (
        <Link href={priceListPath([row.modelName])} className={classes}>
          {t("fixPrice")}
        </Link>
      ) : null}
      {row.channelName ? (
        <Link href={`/channel/edit/${row.channelId}`} className={classes}>
          {t("fixCost")}
        </Link>
      ) : null}
    </span>
  );
}
