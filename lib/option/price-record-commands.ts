import { randomUUID } from "node:crypto";
import { eq, sql } from "drizzle-orm";
import type { Database } from "@/db/client";
import { priceChanges } from "@/db/schema";
import { parseObject } from "@/lib/audit/difference";
import type { ServiceContext } from "@/lib/context";

/** The options whose every entry has a history: a model's in all of them but GroupRatio, which has groups. */
export const RECORDED_KEYS = [
  "AudioCacheRatio",
  "AudioCompletionRatio",
  "AudioRatio",
  "CacheRatio",
  "CompletionRatio",
  "CreateCacheRatio",
  "GroupRatio",
  "ImageCacheRatio",
  "ImageRatio",
  "ModelMeterPrices",
  "ModelPrice",
  "ModelRatio",
] as const;
export type RecordedKey = (typeof RECORDED_KEYS)[number];

/** From where a price was changed. */
const PRICE_SOURCES = ["editor", "list", "sync", "wire", "undo", "restore"] as const;
export type PriceSource = (typeof PRICE_SOURCES)[number];

/** One save. What is written under the same token is one change. */
export type PriceOrigin = { source: PriceSource; token: string; undoOf?: number };

export function priceOrigin(source: PriceSource, undoOf?: number): PriceOrigin {
  return { source, token: randomUUID(), ...(undoOf === undefined ? {} : { undoOf }) };
}

export function isRecorded(key: string): key is RecordedKey {
  return (RECORDED_KEYS as readonly string[]).includes(key);
}

/** Notes each entry that differs between two texts of a price option, in the transaction that saves the option. */
export async function recordPrices(
  tx: Database,
  ctx: ServiceContext,
  origin: PriceOrigin,
  change: { key: RecordedKey; before: string; after: string },
): Promise<void> {
  const [before, after] = [parseObject(change.before) ?? {}, parseObject(change.after) ?? {}];
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])];
  const entries = names.flatMap((name) => {
    const [old, next] = [own(before, name), own(after, name)];
    return JSON.stringify(old) === JSON.stringify(next) ? [] : [{ key: change.key, name, before: old, after: next }];
  });
  if (entries.length === 0) return;
  const id = await openChange(tx, ctx, origin);
  // One parameter, however many models: a price list can have thousands.
  await tx.execute(sql`
    insert into price_change_entries (change_id, key, name, before, after)
    select ${id}::bigint, key, name, nullif(before, 'null'), nullif(after, 'null')
    from jsonb_to_recordset(${JSON.stringify(entries)}::text::jsonb)
      as given (key text, name text, before jsonb, after jsonb)`);
}

function own(map: Record<string, unknown>, name: string): unknown {
  return Object.hasOwn(map, name) ? map[name] : null;
}

async function openChange(tx: Database, ctx: ServiceContext, { source, token, undoOf }: PriceOrigin): Promise<number> {
  const [made] = await tx
    .insert(priceChanges)
    .values({
      token,
      source,
      undoOf: undoOf ?? null,
      actorId: ctx.actor.type === "user" ? ctx.actor.id : null,
      clientIp: ctx.clientIp,
    })
    .onConflictDoNothing()
    .returning({ id: priceChanges.id });
  const [row] = made
    ? [made]
    : await tx.select({ id: priceChanges.id }).from(priceChanges).where(eq(priceChanges.token, token));
  if (!row) throw new Error("the change of prices was not stored");
  return row.id;
}
