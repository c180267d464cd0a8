import { ROLE, requireRole, type ServiceContext } from "@/lib/context";
import { type ExportFile, streamRows } from "@/lib/export/stream-rows";
import type { ExportWords } from "@/lib/export/words";
import { type ExportField, type ExportFormat, rowWriter, toMoment } from "@/lib/export/write-rows";
import { writeAudit } from "./commands";
import type { Difference } from "./difference";
import { listAuditEntries } from "./queries";
import type { AuditSearch } from "./schemas";
import type { AuditRow } from "./types";

const BATCH = 500;

const FIELDS: readonly ExportField<AuditRow>[] = [
  { name: "id", read: (row) => row.id },
  { name: "created_at", read: (row) => toMoment(row.createdAt) },
  { name: "actor_kind", read: (row) => row.actorKind },
  { name: "actor_id", read: (row) => row.actorId },
  { name: "actor_name", read: (row) => row.actorName },
  { name: "action", read: (row) => row.action },
  { name: "subject", read: (row) => row.subject },
  { name: "client_ip", read: (row) => row.clientIp },
  { name: "changes", read: (row) => toText(row.difference) },
];

/** Streams the matching entries, newest first (root only). The export itself is recorded in the audit log. */
export async function exportAudit(
  ctx: ServiceContext,
  search: AuditSearch,
  format: ExportFormat,
  words: ExportWords | null = null,
): Promise<ExportFile> {
  requireRole(ctx, ROLE.root);
  const writer = rowWriter(format, FIELDS, words, ({ difference }) => ({ difference }));
  const file = await streamRows(readEntries(ctx, search), writer);
  await ctx.db.transaction((tx) =>
    writeAudit(tx, ctx, { action: "audit.export", subject: "audit", after: { format, ...search } }),
  );
  return file;
}

async function* readEntries(ctx: ServiceContext, search: AuditSearch): AsyncGenerator<AuditRow[], void> {
  let before = search.before;
  do {
    const { items, next } = await listAuditEntries(ctx, before === undefined ? search : { ...search, before }, BATCH);
    if (items.length > 0) yield items;
    before = next ?? undefined;
  } while (before !== undefined);
}

/** The difference as one cell: `key: before → after`, or the removed and added lines. */
function toText(difference: Difference): string {
  return difference.kind === "keys"
    ? difference.changes.map(({ key, before, after }) => `${key}: ${before ?? "∅"} → ${after ?? "∅"}`).join("\n")
    : difference.lines.map(({ sign, text }) => `${sign}${text}`).join("\n");
}
