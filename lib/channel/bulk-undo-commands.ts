import { and, desc, eq, inArray, sql } from "drizzle-orm";
import type { Database, Sql } from "@/db/client";
import { bulkChanges, channels, users } from "@/db/schema";
import { writeAudits } from "@/lib/audit/commands";
import { nowSeconds } from "@/lib/clock";
import { ROLE, requireRole, type ServiceContext } from "@/lib/context";
import { AppError } from "@/lib/errors";
import { BULK_SUBJECT, type BulkBefore, writeValues } from "./bulk-commands";
import type { BulkField } from "./bulk-plan";
import type { BulkRecord, BulkUndone } from "./bulk-types";

/** How long a bulk change can be undone. */
export const UNDO_SECONDS = 86_400;
const RECORDS_SHOWN = 20;

type Stored = { kind: string; field?: BulkField; changed: number };
type Removed = { channels: { id: number; name: string }[]; keys: unknown[] };

/** The latest bulk changes by any administrator, newest first (administrators). */
export async function listBulkChanges(ctx: ServiceContext): Promise<BulkRecord[]> {
  requireRole(ctx, ROLE.admin);
  const rows = await ctx.db
    .select({
      id: bulkChanges.id,
      actorName: sql<string>`coalesce(${users.username}, '')`,
      change: sql<Stored>`${bulkChanges.change}`,
      createdAt: bulkChanges.createdAt,
      undoneAt: bulkChanges.undoneAt,
    })
    .from(bulkChanges)
    .leftJoin(users, eq(users.id, bulkChanges.actorId))
    .where(eq(bulkChanges.subject, BULK_SUBJECT))
    .orderBy(desc(bulkChanges.id))
    .limit(RECORDS_SHOWN);
  const oldest = nowSeconds() - UNDO_SECONDS;
  return rows.map(({ change, ...row }) => ({
    ...row,
    kind: change.kind,
    changed: change.changed,
    canUndo: row.undoneAt === null && row.createdAt >= oldest,
  }));
}

/**
 * Undoes a bulk change for the rows that still have the value it wrote. Rows changed since, or deleted, are skipped and
 * listed. Throws not_found, or conflict when the change is already undone or too old.
 */
export async function undoBulkChange(ctx: ServiceContext, id: number): Promise<BulkUndone> {
  requireRole(ctx, ROLE.admin);
  return ctx.db.transaction(async (tx) => {
    const [row] = await tx
      .select({
        change: sql<Stored>`${bulkChanges.change}`,
        before: bulkChanges.before,
        createdAt: bulkChanges.createdAt,
        undoneAt: bulkChanges.undoneAt,
      })
      .from(bulkChanges)
      .where(and(eq(bulkChanges.id, id), eq(bulkChanges.subject, BULK_SUBJECT)))
      .for("update");
    if (!row) throw new AppError("not_found", "bulkNotFound");
    if (row.undoneAt !== null) throw new AppError("conflict", "bulkUndone");
    if (row.createdAt < nowSeconds() - UNDO_SECONDS) throw new AppError("conflict", "bulkTooOld");
    const { field } = row.change;
    const outcome =
      field === undefined
        ? await restoreRemoved(tx, ctx, id, row.before as Removed)
        : await restoreValues(tx, ctx, id, field, row.before as BulkBefore[]);
    if (outcome.undone > 0) {
      // The deleted rows are restored, so the stored copy with their sealed keys is dropped.
      const before = field === undefined ? { before: [] } : {};
      await tx
        .update(bulkChanges)
        .set({ undoneAt: nowSeconds(), ...before })
        .where(eq(bulkChanges.id, id));
    }
    return outcome;
  });
}

async function restoreValues(
  tx: Database,
  ctx: ServiceContext,
  id: number,
  field: BulkField,
  rows: BulkBefore[],
): Promise<BulkUndone> {
  const ids = rows.map((row) => row.id);
  const present = await tx
    .select({ id: channels.id, value: channels[field] })
    .from(channels)
    .where(inArray(channels.id, ids))
    .orderBy(channels.id)
    .for("update");
  const values = new Map(present.map((row) => [row.id, row.value]));
  const back = rows.filter((row) => values.has(row.id) && values.get(row.id) === row.after);
  const kept = rows
    .filter((row) => !back.includes(row))
    .map((row) => ({ id: row.id, name: row.name, reason: values.has(row.id) ? "changed" : "gone" }) as const);
  if (back.length === 0) return { undone: 0, kept };
  await writeValues(
    tx,
    field,
    back.map((row) => ({ id: row.id, value: row.before, info: row.info })),
  );
  await writeAudits(
    tx,
    ctx,
    back.map((row) => ({
      action: "channel.bulk-undo",
      subject: `channel:${row.id}`,
      before: { [field]: row.after },
      after: { [field]: row.before, bulk: id },
    })),
  );
  return { undone: back.length, kept };
}

/** Restores deleted rows under their old ids, with their keys. */
async function restoreRemoved(tx: Database, ctx: ServiceContext, id: number, removed: Removed): Promise<BulkUndone> {
  // Rows stored by an earlier version lack the mark.
  const rows = removed.channels.map((row) => ({ private_allowed: false, ...row }));
  const made = await tx.execute<{ id: number }>(sql`
    insert into channels select * from jsonb_populate_recordset(null::channels, ${JSON.stringify(rows)}::text::jsonb)
    on conflict (id) do nothing returning id`);
  const back = new Set(made.map((row) => row.id));
  await tx.execute(sql`
    insert into channel_keys select given.*
    from jsonb_populate_recordset(null::channel_keys, ${JSON.stringify(removed.keys)}::text::jsonb) given
    where given.channel_id = any(${sql.param([...back])}::int[])
    on conflict do nothing`);
  await writeAudits(
    tx,
    ctx,
    removed.channels
      .filter((row) => back.has(row.id))
      .map((row) => ({
        action: "channel.bulk-undo",
        subject: `channel:${row.id}`,
        after: { name: row.name, bulk: id },
      })),
  );
  const kept = removed.channels
    .filter((row) => !back.has(row.id))
    .map(({ id: channelId, name }) => ({ id: channelId, name, reason: "present" }) as const);
  return { undone: back.size, kept };
}

/** Drops the stored rows, with their sealed keys, of deletions too old to be undone; returns how many. */
export async function forgetOldDeletions(sql: Sql): Promise<number> {
  const rows = await sql`
    update bulk_changes set before = '[]'::jsonb
    where subject = ${BULK_SUBJECT} and undone_at is null and change ->> 'kind' = 'delete' and before <> '[]'::jsonb
      and created_at < ${nowSeconds() - UNDO_SECONDS}
    returning id`;
  return rows.length;
}
