import { writeAudit } from "@/lib/audit/commands";
import { ROLE, requireRole, type ServiceContext } from "@/lib/context";
import { type ExportFile, streamRows } from "@/lib/export/stream-rows";
import type { ExportWords } from "@/lib/export/words";
import type { ExportFormat } from "@/lib/export/write-rows";
import { readLogs } from "./batch-queries";
import { logWriter } from "./export";
import type { LogSearch } from "./schemas";

/** Streams every row of a search. Exports by administrators are recorded in the audit log. Throws forbidden like listLogs. */
export async function exportLogs(
  ctx: ServiceContext,
  search: LogSearch,
  format: ExportFormat,
  words: ExportWords | null = null,
): Promise<ExportFile> {
  const isAdmin = requireRole(ctx, ROLE.user).role >= ROLE.admin;
  const file = await streamRows(readLogs(ctx, search), logWriter(format, isAdmin, words));
  if (isAdmin) {
    const { page: _page, pageSize: _size, ...filters } = search;
    await ctx.db.transaction((tx) =>
      writeAudit(tx, ctx, { action: "log.export", subject: "log", after: { format, ...filters } }),
    );
  }
  return file;
}
