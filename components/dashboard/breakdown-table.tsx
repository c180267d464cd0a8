"use client";

import { useTranslations } from "next-intl";
import type { Column } from "@/components/data-table/column";
import { DataTable } from "@/components/data-table/data-table";
import { ExportMenu } from "@/components/data-table/export-menu";
import { useFilters } from "@/components/data-table/use-filters";
import { formatNumber, formatQuota } from "@/components/format/quota";
import { useQuotaDisplay } from "@/components/format/quota-display";
import { Link } from "@/components/ui/link";
import { Segmented } from "@/components/ui/segmented";
import { ADMIN_DIMENSIONS, type BreakdownRow, type Dashboard, DIMENSIONS } from "@/lib/statistics/types";
import { dashboardParams, exportQuery } from "./dashboard-search";
import { breakdownHref } from "./drill";
import { Panel } from "./panel";

type BreakdownTableProps = { dashboard: Dashboard; isAdmin: boolean; username: string };

const REST = " rest";

/** Consumption in the window by model, token and group; for administrators also by user and channel. */
export function BreakdownTable({ dashboard, isAdmin, username }: BreakdownTableProps) {
  const t = useTranslations("dashboard");
  const { setFilters } = useFilters(dashboardParams);
  const { dimension, rows, rest } = dashboard.breakdown;
  const columns = useColumns(dashboard, username);
  const choices = DIMENSIONS.filter((value) => isAdmin || !ADMIN_DIMENSIONS.includes(value));
  const hasRest = rest.count > 0 || rest.quota > 0;
  const shown = hasRest ? [...rows, { key: REST, label: t("rest"), owner: "", ...rest }] : rows;
  return (
    <Panel
      title={t("breakdown")}
      aside={
        <div className="flex flex-wrap gap-2">
          <Segmented
            label={t("breakdownBy")}
            value={dimension}
            choices={choices.map((value) => ({ value, label: t(`split_${value}`) }))}
            onValue={(split) => setFilters({ split })}
          />
          <ExportMenu
            path="/detail/export"
            query={exportQuery(dashboard.window, "breakdown", { username, split: dimension })}
          />
        </div>
      }
    >
      {shown.length === 0 ? (
        <p className="px-4 py-8 text-center text-muted-foreground">{t("noData")}</p>
      ) : (
        <DataTable caption={t("breakdown")} columns={columns} rows={shown} rowKey={(row) => row.key} />
      )}
    </Panel>
  );
}

function useColumns(dashboard: Dashboard, username: string): Column<BreakdownRow>[] {
  const t = useTranslations("dashboard");
  const display = useQuotaDisplay();
  const { totals, breakdown } = dashboard;
  const share = (quota: number) => (totals.quota === 0 ? 0 : (quota / totals.quota) * 100);
  return [
    {
      id: "name",
      header: t(`split_${breakdown.dimension}`),
      heading: true,
      cell: (row) => <Name row={row} dashboard={dashboard} username={username} />,
    },
    { id: "quota", header: t("metric_quota"), align: "right", cell: (row) => formatQuota(row.quota, display, 4) },
    {
      id: "share",
      header: t("share"),
      align: "right",
      cell: (row) => (
        <span className="inline-flex items-center gap-2">
          <span aria-hidden className="h-1.5 w-20 overflow-hidden rounded bg-muted max-sm:hidden">
            <span className="block h-full bg-primary" style={{ width: `${share(row.quota)}%` }} />
          </span>
          <span className="w-12">{`${share(row.quota).toFixed(1)}%`}</span>
        </span>
      ),
    },
    { id: "count", header: t("metric_count"), align: "right", cell: (row) => formatNumber(row.count) },
    { id: "tokens", header: t("metric_tokens"), align: "right", cell: (row) => formatNumber(row.tokens) },
  ];
}

type NameProps = { row: BreakdownRow; dashboard: Dashboard; username: string };

function Name({ row, dashboard, username }: NameProps) {
  const t = useTranslations("dashboard");
  if (row.key === REST) return <span className="text-muted-foreground">{row.label}</span>;
  const { dimension } = dashboard.breakdown;
  const isNumbered = dimension === "user" || dimension === "channel" || dimension === "token";
  // Deleted entities have no label any more, and console requests have no token (key "0"), so neither has a name.
  const name = row.label || (isNumbered && row.key !== "0" ? t("gone", { id: row.key }) : t("unnamed"));
  const text = dimension === "channel" && row.label ? `#${row.key} ${name}` : name;
  const href = breakdownHref(dashboard, row, username);
  const owner = row.owner ? <span className="text-muted-foreground">{row.owner}</span> : null;
  return (
    <span className="inline-flex min-w-0 max-w-full items-center gap-2">
      {href ? (
        <Link href={href} className="truncate hover:underline">
          {text}
        </Link>
      ) : (
        <span dir="auto" className="truncate">
          {text}
        </span>
      )}
      {owner}
    </span>
  );
}
