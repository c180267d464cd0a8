"use client";

import { useTranslations } from "next-intl";
import type { Column } from "@/components/data-table/column";
import { DataTable } from "@/components/data-table/data-table";
import { formatNumber } from "@/components/format/quota";
import { CoverageNote } from "@/components/price-effect/effect-view";
import { QuotaShift, ShiftText } from "@/components/price-effect/shift-text";
import type { RoutingEffect, RoutingShift } from "@/lib/pricing/routing/types";

/** Where the last day's requests would have gone, and what that would have cost. */
export function RoutingEffectView({ effect }: { effect: RoutingEffect }) {
  const t = useTranslations("whatIf");
  const { coverage, channels, noneBefore, noneAfter } = effect;
  const columns = useShiftColumns(channels);
  if (!coverage)
    return (
      <p role="status" className="rounded-md border border-warning/50 p-3">
        {t("tooMuch")}
      </p>
    );
  return (
    <div className="flex flex-col gap-4">
      <div className="overflow-hidden rounded-md border">
        <DataTable caption={t("shares")} columns={columns} rows={channels} rowKey={({ id }) => id} />
      </div>
      <p className="text-muted-foreground text-xs">
        {t("basis")} <CoverageNote coverage={coverage} />
      </p>
      <None title={t("noneAfter")} rows={noneAfter} />
      <None title={t("noneBefore")} rows={noneBefore} />
    </div>
  );
}

function useShiftColumns(channels: RoutingShift[]): Column<RoutingShift>[] {
  const t = useTranslations("whatIf");
  const effect = useTranslations("priceEffect");
  const sumOf = (of: (row: RoutingShift) => number) =>
    Math.max(
      1,
      channels.reduce((sum, row) => sum + of(row), 0),
    );
  const totals = {
    actual: sumOf((row) => row.actual),
    before: sumOf((row) => row.before.requests),
    after: sumOf((row) => row.after.requests),
  };
  const share = (part: number, total: number) => Math.round((part / total) * 1_000) / 10;
  return [
    {
      id: "channel",
      header: t("channel"),
      heading: true,
      cell: (row) => <span className="wrap-anywhere font-medium">{row.name === "" ? `#${row.id}` : row.name}</span>,
    },
    {
      id: "actual",
      header: t("actual"),
      align: "right",
      cell: (row) => `${share(row.actual, totals.actual)}%`,
    },
    {
      id: "share",
      header: t("share"),
      align: "right",
      cell: (row) => (
        <span className="whitespace-nowrap">
          <del className="text-muted-foreground">{share(row.before.requests, totals.before)}%</del>{" "}
          <span aria-hidden>→</span> <span className="font-medium">{share(row.after.requests, totals.after)}%</span>
        </span>
      ),
    },
    {
      id: "requests",
      header: effect("requests"),
      align: "right",
      cell: (row) => <ShiftText before={row.before.requests} after={row.after.requests} text={formatNumber} />,
    },
    {
      id: "revenue",
      header: effect("revenue"),
      align: "right",
      cell: (row) => <QuotaShift before={row.before.revenue} after={row.after.revenue} />,
    },
    { id: "cost", header: effect("cost"), align: "right", cell: (row) => <Cost row={row} /> },
    { id: "margin", header: effect("margin"), align: "right", cell: (row) => <Margin row={row} /> },
  ];
}

const hasUnknown = ({ before, after }: RoutingShift): boolean => before.unknown > 0 || after.unknown > 0;

function Cost({ row }: { row: RoutingShift }) {
  const t = useTranslations("priceEffect");
  if (hasUnknown(row)) return <span className="text-muted-foreground">{t("unknown")}</span>;
  return <QuotaShift before={row.before.cost} after={row.after.cost} />;
}

function Margin({ row }: { row: RoutingShift }) {
  const t = useTranslations("priceEffect");
  if (hasUnknown(row)) return <span className="text-muted-foreground">{t("unknown")}</span>;
  return <QuotaShift before={row.before.revenue - row.before.cost} after={row.after.revenue - row.after.cost} />;
}

function None({ title, rows }: { title: string; rows: RoutingEffect["noneAfter"] }) {
  const t = useTranslations("whatIf");
  if (rows.length === 0) return null;
  return (
    <section aria-label={title} className="rounded-md border border-warning/50 p-3">
      <h3 dir="auto" className="font-medium">
        {title}
      </h3>
      <ul className="mt-1 flex flex-col gap-1 text-xs">
        {rows.map(({ group, model, requests }) => (
          <li key={`${group} ${model}`} className="break-words">
            {t("noneRow", { group, model, requests: String(requests) })}
          </li>
        ))}
      </ul>
    </section>
  );
}
