import { eq, inArray } from "drizzle-orm";
import type { Database } from "@/db/client";
import { channels } from "@/db/schema";
import { writeAudit, writeAudits } from "@/lib/audit/commands";
import { ROLE, requireRole, type ServiceContext } from "@/lib/context";
import { AppError } from "@/lib/errors";
import { CHANNEL_STATUS, type SwitchStatus } from "@/lib/row-status";
import { refuseChanged } from "@/lib/seen";
import { parseInput } from "@/lib/validation";
import { atLeastOne } from "./commands";
import { reviveKeys } from "./key-state-commands";
import { type UpdateTagInput, updateTagSchema } from "./schemas";

/** Sets the tag of channels, or removes it with null; returns how many changed. */
export async function tagChannels(ctx: ServiceContext, ids: number[], tag: string | null): Promise<number> {
  requireRole(ctx, ROLE.admin);
  const newTag = tag === null || tag.trim() === "" ? null : tag.trim();
  return ctx.db.transaction(async (tx) => {
    const rows = await tx
      .update(channels)
      .set({ tag: newTag })
      .where(inArray(channels.id, atLeastOne(ids)))
      .returning({ id: channels.id });
    await writeAudits(
      tx,
      ctx,
      rows.map(({ id }) => ({ action: "channel.tag", subject: `channel:${id}`, after: { tag: newTag } })),
    );
    return rows.length;
  });
}

/**
 * Sets the given fields of all members of a tag; returns how many. Throws conflict for a field that somebody else has changed
 * since the client saw it.
 */
export async function updateTag(ctx: ServiceContext, input: UpdateTagInput): Promise<number> {
  requireRole(ctx, ROLE.admin);
  const { tag, newTag, seen, ...given } = parseInput(updateTagSchema, input);
  const changes = Object.fromEntries(
    Object.entries({ ...given, tag: newTag }).filter(([, value]) => value !== undefined),
  );
  if (Object.keys(changes).length === 0) throw new AppError("invalid", "nothingToChange");
  return ctx.db.transaction(async (tx) => {
    refuseChanged(await lockShared(tx, tag), changes, seen);
    const rows = await tx.update(channels).set(changes).where(eq(channels.tag, tag)).returning({ id: channels.id });
    if (rows.length === 0) throw new AppError("not_found", "channelTagNotFound");
    await writeAudit(tx, ctx, { action: "tag.update", subject: `tag:${tag}`, after: changes });
    return rows.length;
  });
}

/** Locks the members of a tag and returns what they share; null where they differ. */
async function lockShared(tx: Database, tag: string): Promise<Record<string, unknown>> {
  const { id, tag: name, priority, weight, modelMapping, models, group } = channels;
  const fields = { tag: name, priority, weight, modelMapping, models, group };
  const rows = await tx.select(fields).from(channels).where(eq(name, tag)).orderBy(id).for("update");
  const shared = Object.keys(fields).map((field) => {
    const [first = null, ...others] = new Set(rows.map((row) => row[field as keyof typeof row]));
    return [field, others.length > 0 ? null : first];
  });
  return Object.fromEntries(shared);
}

/** Enables or disables all members of a tag by hand; returns how many. */
export async function setTagStatus(ctx: ServiceContext, tag: string, status: SwitchStatus): Promise<number> {
  requireRole(ctx, ROLE.admin);
  return ctx.db.transaction(async (tx) => {
    const rows = await tx
      .update(channels)
      .set({ status, otherInfo: {} })
      .where(eq(channels.tag, tag))
      .returning({ id: channels.id });
    if (rows.length === 0) throw new AppError("not_found", "channelTagNotFound");
    if (status === CHANNEL_STATUS.enabled) {
      await reviveKeys(
        tx,
        rows.map(({ id }) => id),
      );
    }
    await writeAudit(tx, ctx, { action: "tag.status", subject: `tag:${tag}`, after: { status } });
    return rows.length;
  });
}
