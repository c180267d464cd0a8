import { writeAudit } from "@/lib/audit/commands";
import type { ServiceContext } from "@/lib/context";
import { type ExportFile, streamRows } from "@/lib/export/stream-rows";
import { type ExportFormat, rowWriter } from "@/lib/export/write-rows";
import { listMarginRows, type MarginSearch } from "./margin-queries";
import type { MarginRow } from "./margin-types";

const FIELDS = [
  { name: "id", read: (row: MarginRow) => row.key },
  { name: "name", read: (row: MarginRow) => row.label },
  { name: "owner", read: (row: MarginRow) => row.owner },
  { name: "requests", read: (row: MarginRow) => row.count },
  { name: "sold", read: (row: MarginRow) => row.sold },
  { name: "bought", read: (row: MarginRow) => row.bought },
  { name: "margin", read: (row: MarginRow) => row.sold - row.bought },
  { name: "paid_not_billed", read: (row: MarginRow) => row.unbilled },
  { name: "unknown_costs", read: (row: MarginRow) => row.unknown },
];

/** A row per channel, model or API key, amounts in quota. Recorded in the audit log. Throws like listMarginRows. */
export async function exportMargin(
  ctx: ServiceContext,
  search: MarginSearch,
  format: ExportFormat,
): Promise<ExportFile> {
  const rows = await listMarginRows(ctx, search);
  const file = await streamRows(once(rows), rowWriter(format, FIELDS));
  await ctx.db.transaction((tx) =>
    writeAudit(tx, ctx, { action: "margin.export", subject: "margin", after: { format, ...search } }),
  );
  return file;
}

async function* once(rows: MarginRow[]): AsyncGenerator<MarginRow[], void> {
  yield rows;
}
