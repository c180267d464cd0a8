import { desc, eq } from "drizzle-orm";
import { auditEntries, users } from "@/db/schema";
import { diffValues } from "@/lib/audit/difference";
import type { AuditRow } from "@/lib/audit/types";
import { ROLE, requireRole, type ServiceContext } from "@/lib/context";

const ROWS_SHOWN = 15;

/** Who changed a channel and what, newest first (administrators; the whole audit log is root's). */
export async function listChannelChanges(ctx: ServiceContext, channelId: number): Promise<AuditRow[]> {
  requireRole(ctx, ROLE.admin);
  const rows = await ctx.db
    .select({ entry: auditEntries, actorName: users.username })
    .from(auditEntries)
    .leftJoin(users, eq(users.id, auditEntries.actorId))
    .where(eq(auditEntries.subject, `channel:${channelId}`))
    .orderBy(desc(auditEntries.id))
    .limit(ROWS_SHOWN);
  return rows.map(({ entry, actorName }) => ({
    id: entry.id,
    actorId: entry.actorId,
    actorName: actorName ?? "",
    actorKind: entry.actorKind,
    action: entry.action,
    subject: entry.subject,
    clientIp: entry.clientIp,
    createdAt: entry.createdAt,
    difference: diffValues(entry.before, entry.after),
  }));
}
