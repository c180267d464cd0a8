"use client";

import type { Route } from "next";
import { useRouter } from "next/navigation";
import { useTranslations } from "next-intl";
import { axisDigits } from "@/components/chart/axis";
import { LazyBarChart } from "@/components/chart/lazy";
import { colourOf } from "@/components/chart/palette";
import type { Column } from "@/components/data-table/column";
import { DataTable } from "@/components/data-table/data-table";
import { ExportMenu } from "@/components/data-table/export-menu";
import { useFilters } from "@/components/data-table/use-filters";
import { formatNumber, formatQuota } from "@/components/format/quota";
import { useQuotaDisplay } from "@/components/format/quota-display";
import { cn } from "@/components/ui/class-names";
import { Link } from "@/components/ui/link";
import { Segmented } from "@/components/ui/segmented";
import {
  type ChannelTerms,
  isCostUnknown,
  MARGIN_DIMENSIONS,
  type MarginReport,
  type MarginRow,
  type MarginTotals,
} from "@/lib/statistics/margin-types";
import { dashboardParams, exportQuery } from "./dashboard-search";
import { marginBucketHref, marginHref } from "./margin-drill";
import { Panel } from "./panel";
import { bucketLabel } from "./zone";

const REST = " rest";

/** What was sold and what it cost upstream, in time and by channel, model, user, API key or day (administrators only). */
export function MarginSection({ report }: { report: MarginReport }) {
  const t = useTranslations("dashboard");
  const { setFilters } = useFilters(dashboardParams);
  const { dimension, window } = report;
  return (
    <Panel
      title={t("marginTitle")}
      aside={
        <div className="flex flex-wrap items-center gap-2">
          <Segmented
            label={t("marginBy")}
            value={dimension}
            choices={MARGIN_DIMENSIONS.map((value) => ({ value, label: t(`split_${value}`) }))}
            onValue={(margin) => setFilters({ margin })}
          />
          <ExportMenu path="/detail/export" query={exportQuery(window, "margin", { margin: dimension })} />
        </div>
      }
    >
      <Figures totals={report.totals} window={window} />
      <Chart report={report} />
      <Rows report={report} />
    </Panel>
  );
}

function Figures({ totals, window }: { totals: MarginTotals; window: MarginReport["window"] }) {
  const t = useTranslations("dashboard");
  const display = useQuotaDisplay();
  const { bought, margin } = useCostTexts()(totals);
  const figures = [
    { id: "sold", label: t("sold"), value: formatQuota(totals.sold, display, 4) },
    { id: "bought", label: t("bought"), value: bought },
    { id: "margin", label: t("margin"), value: margin, isLoss: totals.sold < totals.bought },
    { id: "share", label: t("marginShare"), value: shareOf(totals) },
    {
      id: "unbilled",
      label: t("unbilled"),
      value: formatQuota(totals.unbilled, display, 4),
      href: marginHref(window, "unbilled"),
    },
    { id: "unknown", label: t("unknownCosts"), value: formatNumber(totals.unknown) },
  ];
  return (
    <>
      <dl className="grid grid-cols-2 gap-x-6 gap-y-2 border-b px-4 py-3 sm:grid-cols-3 xl:grid-cols-6">
        {figures.map(({ id, label, value, isLoss, href }) => (
          <div key={id}>
            <dt className="text-muted-foreground text-xs">{label}</dt>
            <dd
              dir="auto"
              className={cn("font-semibold tabular-nums", isLoss && "text-destructive")}
              data-testid={`margin-${id}`}
            >
              {href && totals.unbilled > 0 ? (
                <Link href={href} className="text-primary hover:underline">
                  {value}
                </Link>
              ) : (
                value
              )}
            </dd>
          </div>
        ))}
      </dl>
      {totals.unknown > 0 ? (
        <p role="note" className="px-4 pt-3 text-warning text-xs">
          {t("unknownCostsNote", { count: totals.unknown })}
        </p>
      ) : null}
    </>
  );
}

/** The margin of each bucket as bars, what was sold as a line. A click opens the log rows behind a bar. */
function Chart({ report }: { report: MarginReport }) {
  const t = useTranslations("dashboard");
  const router = useRouter();
  const display = useQuotaDisplay();
  const { window, buckets, points, totals } = report;
  const margins = points.map(({ sold, bought }) => sold - bought);
  const sold = points.map((point) => point.sold);
  const largest = Math.max(0, ...sold, ...margins.map(Math.abs));
  const digits = axisDigits(largest / display.quotaPerUnit);
  const label = t("marginLabel", {
    sold: formatQuota(totals.sold, display),
    bought: formatQuota(totals.bought, display),
  });
  return (
    <div role="img" aria-label={label} className="h-56 px-4 py-3" data-testid="margin-chart">
      <LazyBarChart
        labels={buckets.map((start) => bucketLabel(start, window.granularity, window.timeZone))}
        series={[{ id: "margin", name: t("margin"), colour: colourOf(0), values: margins }]}
        line={{ id: "sold", name: t("sold"), colour: "var(--muted-foreground)", values: sold }}
        format={(value) => formatQuota(value, display, 4)}
        formatAxis={(value) => formatQuota(value, display, digits)}
        totalLabel={t("total")}
        onPick={(_series, place) => router.push(marginBucketHref(report, place))}
      />
    </div>
  );
}

function Rows({ report }: { report: MarginReport }) {
  const t = useTranslations("dashboard");
  const columns = useColumns(report);
  const { rows, rest } = report;
  const hasRest = Object.values(rest).some((value) => value !== 0);
  const shown = hasRest ? [...rows, { key: REST, label: t("rest"), owner: "", ...rest }] : rows;
  if (shown.length === 0) return <p className="px-4 py-8 text-center text-muted-foreground">{t("noData")}</p>;
  return <DataTable caption={t("marginTitle")} columns={columns} rows={shown} rowKey={(row) => row.key} />;
}

function useColumns({ dimension, window }: MarginReport): Column<MarginRow>[] {
  const t = useTranslations("dashboard");
  const display = useQuotaDisplay();
  const costTexts = useCostTexts();
  const money = (value: number) => formatQuota(value, display, 4);
  return [
    {
      id: "name",
      header: t(`split_${dimension}`),
      heading: true,
      cell: (row) => <Name row={row} dimension={dimension} window={window} />,
    },
    ...(dimension === "channel"
      ? [{ id: "terms", header: t("terms"), cell: (row: MarginRow) => <Terms terms={row.terms} /> }]
      : []),
    { id: "count", header: t("metric_count"), align: "right", cell: (row) => formatNumber(row.count) },
    { id: "sold", header: t("sold"), align: "right", cell: (row) => money(row.sold) },
    { id: "bought", header: t("bought"), align: "right", cell: (row) => costTexts(row).bought },
    {
      id: "margin",
      header: t("margin"),
      align: "right",
      cell: (row) => (
        <span className={cn("font-medium", row.sold < row.bought && "text-destructive")}>{costTexts(row).margin}</span>
      ),
    },
    { id: "share", header: t("marginShare"), align: "right", cell: shareOf },
    { id: "unbilled", header: t("unbilled"), align: "right", cell: (row) => money(row.unbilled) },
    { id: "unknown", header: t("unknownCosts"), align: "right", cell: (row) => formatNumber(row.unknown) },
  ];
}

/** Cost and margin as texts. Unknown is never 0: "unknown" where nothing of it is known, "≥" where a part is not. */
function useCostTexts(): (totals: MarginTotals) => { bought: string; margin: string } {
  const t = useTranslations("dashboard");
  const display = useQuotaDisplay();
  return (totals) => {
    if (isCostUnknown(totals)) return { bought: t("costUnknown"), margin: t("costUnknown") };
    const isPartly = totals.unknown > 0;
    return {
      bought: `${isPartly ? "≥ " : ""}${formatQuota(totals.bought, display, 4)}`,
      margin: `${isPartly ? "≤ " : ""}${formatQuota(totals.sold - totals.bought, display, 4)}`,
    };
  };
}

/** What a channel's cost comes from. */
function Terms({ terms }: { terms: ChannelTerms | undefined }) {
  const t = useTranslations("dashboard");
  if (!terms) return "—";
  const { factor, ownPrices } = terms;
  const base =
    factor === null
      ? t("termsUnreadable")
      : factor === 0
        ? t("termsFree")
        : factor === 1
          ? t("termsList")
          : t("termsFactor", { factor: String(factor) });
  return (
    <span className="text-muted-foreground text-xs">
      {ownPrices > 0 ? `${t("termsOwn", { count: ownPrices })}, ${base}` : base}
    </span>
  );
}

/** The margin's share of what was sold; with an unknown cost there is none. */
function shareOf(totals: MarginTotals): string {
  const { sold, bought } = totals;
  return sold === 0 || isCostUnknown(totals) ? "—" : `${(((sold - bought) / sold) * 100).toFixed(1)}%`;
}

type NameProps = { row: MarginRow; dimension: MarginReport["dimension"]; window: MarginReport["window"] };

function Name({ row, dimension, window }: NameProps) {
  const t = useTranslations("dashboard");
  if (row.key === REST) return <span className="text-muted-foreground">{row.label}</span>;
  const name = row.label || (dimension !== "model" && row.key !== "0" ? t("gone", { id: row.key }) : t("unnamed"));
  const href: Route | null = marginHref(window, dimension, row);
  return (
    <span className="inline-flex min-w-0 max-w-full items-center gap-2">
      {href ? (
        <Link href={href} className="truncate hover:underline">
          {dimension === "channel" && row.label ? `#${row.key} ${name}` : name}
        </Link>
      ) : (
        <span dir="auto" className="truncate">
          {name}
        </span>
      )}
      {row.owner ? <span className="text-muted-foreground">{row.owner}</span> : null}
    </span>
  );
}
