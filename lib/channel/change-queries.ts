import { eq } from "drizzle-orm";
import { auditEntries } from "@/db/schema";
import { readAuditRows } from "@/lib/audit/row-queries";
import type { AuditRow } from "@/lib/audit/types";
import { ROLE, requireRole, type ServiceContext } from "@/lib/context";

const ROWS_SHOWN = 15;

/** Who changed a channel and what, newest first. For administrators; the whole audit log is for root only. */
export async function listChannelChanges(ctx: ServiceContext, channelId: number): Promise<AuditRow[]> {
  requireRole(ctx, ROLE.admin);
  return readAuditRows(ctx.db, eq(auditEntries.subject, `channel:${channelId}`), ROWS_SHOWN);
}
