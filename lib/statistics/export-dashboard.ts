import { writeAudit } from "@/lib/audit/commands";
import type { ServiceContext } from "@/lib/context";
import { type ExportFile, streamRows } from "@/lib/export/stream-rows";
import type { ExportWords } from "@/lib/export/words";
import { type ExportField, type ExportFormat, rowWriter, toMoment } from "@/lib/export/write-rows";
import { fromReplica } from "@/lib/replica/from-replica";
import { readDashboard } from "./dashboard-queries";
import { type HealthPoint, readHealthSeries } from "./health-queries";
import { listLosses, listMarginRows } from "./margin-queries";
import { isCostUnknown, type LossRow, type MarginDimension, type MarginRow } from "./margin-types";
import type { DashboardSearch } from "./schemas";
import type { BreakdownRow, UsageTotals } from "./types";

/** What the dashboard shows as a table or chart. */
export const EXPORTED_TABLES = ["usage", "breakdown", "margin", "losses", "health"] as const;
export type ExportedTable = (typeof EXPORTED_TABLES)[number];

const LOSSES_EXPORTED = 10_000;

type UsagePoint = UsageTotals & { start: number; model: string };

const USAGE: readonly ExportField<UsagePoint>[] = [
  { name: "time", read: (row: UsagePoint) => toMoment(row.start) },
  { name: "model", read: (row: UsagePoint) => row.model },
  { name: "requests", read: (row: UsagePoint) => row.count },
  { name: "tokens", read: (row: UsagePoint) => row.tokens },
  { name: "spend", read: (row: UsagePoint) => row.quota, isQuota: true },
];

const BREAKDOWN: readonly ExportField<BreakdownRow>[] = [
  { name: "id", read: (row: BreakdownRow) => row.key },
  { name: "name", read: (row: BreakdownRow) => row.label },
  { name: "owner", read: (row: BreakdownRow) => row.owner },
  { name: "requests", read: (row: BreakdownRow) => row.count },
  { name: "tokens", read: (row: BreakdownRow) => row.tokens },
  { name: "spend", read: (row: BreakdownRow) => row.quota, isQuota: true },
];

const MARGIN: readonly ExportField<MarginRow>[] = [
  { name: "id", read: (row: MarginRow) => row.key },
  { name: "name", read: (row: MarginRow) => row.label },
  { name: "owner", read: (row: MarginRow) => row.owner },
  { name: "requests", read: (row: MarginRow) => row.count },
  { name: "sold", read: (row: MarginRow) => row.sold, isQuota: true },
  // Empty where nothing of the cost is known: unknown is not 0.
  { name: "bought", read: (row: MarginRow) => (isCostUnknown(row) ? null : row.bought), isQuota: true },
  { name: "margin", read: (row: MarginRow) => (isCostUnknown(row) ? null : row.sold - row.bought), isQuota: true },
  { name: "paid_not_billed", read: (row: MarginRow) => row.unbilled, isQuota: true },
  { name: "unknown_costs", read: (row: MarginRow) => row.unknown },
];

const LOSSES: readonly ExportField<LossRow>[] = [
  { name: "id", read: (row: LossRow) => row.channelId },
  { name: "channel", label: "channel_name", read: (row: LossRow) => row.channelName },
  { name: "model", read: (row: LossRow) => row.modelName },
  { name: "requests", read: (row: LossRow) => row.count },
  { name: "sold", read: (row: LossRow) => row.sold, isQuota: true },
  { name: "bought", read: (row: LossRow) => row.bought, isQuota: true },
  { name: "loss", read: (row: LossRow) => row.bought - row.sold, isQuota: true },
  { name: "unknown_costs", read: (row: LossRow) => row.unknown },
];

const HEALTH: readonly ExportField<HealthPoint>[] = [
  { name: "time", read: (row: HealthPoint) => toMoment(row.bucket) },
  { name: "requests", read: (row: HealthPoint) => row.requests },
  { name: "failed", read: (row: HealthPoint) => row.failed },
  { name: "error_rate", read: (row: HealthPoint) => (row.successRate === null ? null : 1 - row.successRate) },
  { name: "p50", read: (row: HealthPoint) => row.p50Ms },
  { name: "p95", read: (row: HealthPoint) => row.p95Ms },
];

export type DashboardExport = {
  table: ExportedTable;
  format: ExportFormat;
  /** Of whom the dashboard shows figures; "own" for ordinary users. */
  search: DashboardSearch;
  margin: MarginDimension;
  /** For a file for people. */
  words: ExportWords;
};

/** What a part of the dashboard shows, as a file; what only administrators see is recorded in the audit log. */
export async function exportDashboard(ctx: ServiceContext, asked: DashboardExport): Promise<ExportFile> {
  const { table, format, search, margin } = asked;
  const file = await writeTable(ctx, asked);
  if (table === "usage" || table === "breakdown") return file;
  const { scope: _scope, username: _username, dimension: _dimension, ...window } = search;
  const after = { table, format, ...window, ...(table === "margin" ? { dimension: margin } : {}) };
  await ctx.db.transaction((tx) => writeAudit(tx, ctx, { action: "margin.export", subject: "margin", after }));
  return file;
}

async function writeTable(
  ctx: ServiceContext,
  { table, format, search, margin, words }: DashboardExport,
): Promise<ExportFile> {
  const write = <Row>(rows: Row[], columns: readonly ExportField<Row>[]) =>
    streamRows(once(rows), rowWriter(format, columns, words));
  const { from, until, granularity, timeZone } = search;
  const window = { from, until, granularity, timeZone };
  switch (table) {
    case "usage":
      return write(await readUsage(ctx, search), USAGE);
    case "breakdown":
      return write((await fromReplica(ctx, (there) => readDashboard(there, search))).breakdown.rows, BREAKDOWN);
    case "margin":
      return write(await fromReplica(ctx, (there) => listMarginRows(there, { ...window, dimension: margin })), MARGIN);
    case "losses":
      return write(
        (await fromReplica(ctx, (there) => listLosses(there, { ...window, dimension: margin }, LOSSES_EXPORTED))).rows,
        LOSSES,
      );
    case "health":
      return write((await fromReplica(ctx, (there) => readHealthSeries(there, window))).points, HEALTH);
  }
}

/** The figures of the chart: a row for each bucket and model that has any. */
async function readUsage(ctx: ServiceContext, search: DashboardSearch): Promise<UsagePoint[]> {
  const { buckets, models } = await fromReplica(ctx, (there) => readDashboard(there, search));
  return buckets.flatMap((start, place) =>
    models.flatMap(({ name, points }) => {
      const point = points[place];
      return point && (point.count > 0 || point.quota !== 0) ? [{ start, model: name ?? "", ...point }] : [];
    }),
  );
}

async function* once<Row>(rows: Row[]): AsyncGenerator<Row[], void> {
  yield rows;
}
