import { desc, eq, type SQL } from "drizzle-orm";
import type { Database } from "@/db/client";
import { auditEntries, users } from "@/db/schema";
import { diffValues } from "./difference";
import type { AuditRow } from "./types";

/** Audit entries with their actor's name and their changes, newest first. The calling function checks permissions. */
export async function readAuditRows(db: Database, condition: SQL | undefined, limit: number): Promise<AuditRow[]> {
  const rows = await db
    .select({ entry: auditEntries, actorName: users.username })
    .from(auditEntries)
    .leftJoin(users, eq(users.id, auditEntries.actorId))
    .where(condition)
    .orderBy(desc(auditEntries.id))
    .limit(limit);
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
