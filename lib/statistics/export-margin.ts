import { writeAudit } from "@/lib/audit/commands";
import type { ServiceContext } from "@/lib/context";
import { type ExportFile, streamRows } from "@/lib/export/stream-rows";
import type { ExportWords } from "@/lib/export/words";
import { type ExportField, type ExportFormat, rowWriter } from "@/lib/export/write-rows";
import { listMarginRows, type MarginSearch } from "./margin-queries";
import type { MarginRow } from "./margin-types";

const FIELDS: readonly ExportField<MarginRow>[] = [
  { name: "id", read: (row) => row.key },
  { name: "name", read: (row) => row.label },
  { name: "owner", read: (row) => row.owner },
  { name: "requests", read: (row) => row.count },
  { name: "sold", isQuota: true, read: (row) => row.sold },
  { name: "bought", isQuota: true, read: (row) => row.bought },
  { name: "margin", isQuota: true, read: (row) => row.sold - row.bought },
  { name: "paid_not_billed", isQuota: true, read: (row) => row.unbilled },
  { name: "unknown_costs", read: (row) => row.unknown },
];

/** A row per channel, model or API key, amounts in quota, and for people (`words`) in money. Recorded in the audit log. Throws like listMarginRows. */
export async function exportMargin(
  ctx: ServiceContext,
  search: MarginSearch,
  format: ExportFormat,
  words: ExportWords | null = null,
): Promise<ExportFile> {
  const rows = await listMarginRows(ctx, search);
  const file = await streamRows(once(rows), rowWriter(format, FIELDS, words));
  await ctx.db.transaction((tx) =>
    writeAudit(tx, ctx, { action: "margin.export", subject: "margin", after: { format, ...search } }),
  );
  return file;
}

async function* once(rows: MarginRow[]): AsyncGenerator<MarginRow[], void> {
  yield rows;
}
