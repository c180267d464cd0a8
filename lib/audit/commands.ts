import type { Database } from "@/db/client";
import { auditEntries } from "@/db/schema";
import type { ServiceContext } from "@/lib/context";

export type AuditEntry = { action: string; subject: string; before?: unknown; after?: unknown };

/** Records who changed what; call it in the transaction of the change. `before` and `after` must not contain secrets. */
export async function writeAudit(tx: Database, ctx: ServiceContext, entry: AuditEntry): Promise<void> {
  await writeAudits(tx, ctx, [entry]);
}

const ROWS_PER_INSERT = 1_000;

export async function writeAudits(tx: Database, ctx: ServiceContext, entries: readonly AuditEntry[]): Promise<void> {
  const { actor } = ctx;
  const by =
    actor.type === "user"
      ? { actorId: actor.id, via: actor.via, sessionId: actor.session?.id ?? null }
      : { actorId: null, via: "", sessionId: null };
  const rows = entries.map((entry) => ({
    ...by,
    actorKind: actor.type,
    action: entry.action,
    subject: entry.subject,
    before: entry.before ?? null,
    after: entry.after ?? null,
    clientIp: ctx.clientIp,
  }));
  for (let from = 0; from < rows.length; from += ROWS_PER_INSERT) {
    await tx.insert(auditEntries).values(rows.slice(from, from + ROWS_PER_INSERT));
  }
}
