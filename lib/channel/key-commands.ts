import { and, asc, count, eq, sql } from "drizzle-orm";
import { z } from "zod";
import type { Database } from "@/db/client";
import { channelKeys, channels } from "@/db/schema";
import { writeAudit } from "@/lib/audit/commands";
import { nowSeconds } from "@/lib/clock";
import { ROLE, requireRole, type ServiceContext } from "@/lib/context";
import { AppError } from "@/lib/errors";
import { CHANNEL_STATUS, type SwitchStatus } from "@/lib/row-status";
import { KEY_MODES, type KeyMode } from "@/lib/snapshot/channel-setting";
import { parseInput } from "@/lib/validation";
import { isRoot } from "./address-guard";
import { lockChannel, updateChannel } from "./commands";
import { sealKey } from "./fingerprint";
import { loadChecks } from "./load-checks";
import { getChannel } from "./queries";
import { CHANNEL_KEYS_MAX, splitKeys } from "./schemas";

const keysSchema = z.string("channelKeyMissing").max(65_536, "channelKeyTooLong");

/**
 * Adds keys to a channel, one per line; an existing single key becomes the first of the list. Keys the channel already
 * has are skipped. Returns how many are new. Throws invalid when none is.
 */
export async function addChannelKeys(ctx: ServiceContext, id: number, text: string): Promise<number> {
  requireRole(ctx, ROLE.admin);
  const lines = parseInput(keysSchema, text);
  const { checkKeys } = await loadChecks();
  return ctx.db.transaction(async (tx) => {
    const channel = await lockChannel(tx, id);
    const given = splitKeys(channel.type, lines);
    if (given.length === 0) throw new AppError("invalid", "channelKeyMissing");
    checkKeys(channel.type, given);
    await toSeveral(tx, id);
    const made = await tx
      .insert(channelKeys)
      .values(given.map(sealKey).map(({ cipher, fingerprint }) => ({ channelId: id, keyCipher: cipher, fingerprint })))
      .onConflictDoNothing()
      .returning({ fingerprint: channelKeys.fingerprint });
    if (made.length === 0) throw new AppError("invalid", "channelKeyExists");
    // A key may say where it is exchanged for a token.
    if (!isRoot(ctx)) await tx.update(channels).set({ privateAllowed: false }).where(eq(channels.id, id));
    if ((await countKeys(tx, id)) > CHANNEL_KEYS_MAX) throw new AppError("invalid", "channelKeysTooMany");
    const after = { fingerprints: made.map(({ fingerprint }) => fingerprint) };
    await writeAudit(tx, ctx, { action: "channel.key-add", subject: `channel:${id}`, after });
    await tellProcesses(tx, id);
    return made.length;
  });
}

/** Enables or disables a key by hand. An enabled channel keeps at least one enabled key. */
export async function setChannelKeyStatus(
  ctx: ServiceContext,
  id: number,
  keyId: number,
  status: SwitchStatus,
): Promise<void> {
  requireRole(ctx, ROLE.admin);
  await ctx.db.transaction(async (tx) => {
    const channel = await lockChannel(tx, id);
    const before = await findKey(tx, id, keyId);
    const changes = { status, reason: "", statusTime: nowSeconds() };
    await tx.update(channelKeys).set(changes).where(eq(channelKeys.id, keyId));
    if (channel.status === CHANNEL_STATUS.enabled) await needKeyInUse(tx, id, channel.name);
    await writeAudit(tx, ctx, {
      action: "channel.key-status",
      subject: `channel:${id}`,
      before: { fingerprint: before.fingerprint, status: before.status },
      after: { fingerprint: before.fingerprint, status },
    });
    await tellProcesses(tx, id);
  });
}

/** Removes a key from a channel with several. When one is left, it becomes an ordinary single key. */
export async function removeChannelKey(ctx: ServiceContext, id: number, keyId: number): Promise<void> {
  requireRole(ctx, ROLE.admin);
  await ctx.db.transaction(async (tx) => {
    const channel = await lockChannel(tx, id);
    const { fingerprint } = await findKey(tx, id, keyId);
    await tx.delete(channelKeys).where(eq(channelKeys.id, keyId));
    if ((await countKeys(tx, id)) === 0) throw new AppError("invalid", "channelLastKey");
    if (channel.status === CHANNEL_STATUS.enabled) await needKeyInUse(tx, id, channel.name);
    await toSingle(tx, id);
    await writeAudit(tx, ctx, { action: "channel.key-remove", subject: `channel:${id}`, before: { fingerprint } });
    await tellProcesses(tx, id);
  });
}

/** The order in which keys are used; stored in the channel's setting, whose other entries are kept. */
export async function setKeyMode(ctx: ServiceContext, id: number, mode: KeyMode): Promise<void> {
  const { setting } = await getChannel(ctx, id);
  const json = setting === "" ? {} : (JSON.parse(setting) as Record<string, unknown>);
  const wanted = JSON.stringify({ ...json, multi_key_mode: z.enum(KEY_MODES).parse(mode) });
  await updateChannel(ctx, { id, setting: wanted, seen: { setting } });
}

/** Moves the only key of a channel to the table of keys. */
async function toSeveral(tx: Database, id: number): Promise<void> {
  await tx.execute(sql`
    insert into channel_keys (channel_id, key_cipher, fingerprint)
    select id, key_cipher, key_fingerprint from channels
    where id = ${id} and not exists (select from channel_keys where channel_id = ${id})
    on conflict do nothing`);
}

/** Moves the last key back to the channel if it is enabled. */
async function toSingle(tx: Database, id: number): Promise<void> {
  const [only, ...others] = await tx
    .select({ cipher: channelKeys.keyCipher, fingerprint: channelKeys.fingerprint, status: channelKeys.status })
    .from(channelKeys)
    .where(eq(channelKeys.channelId, id))
    .orderBy(asc(channelKeys.id))
    .limit(2);
  if (!only || others.length > 0 || only.status !== CHANNEL_STATUS.enabled) return;
  await tx
    .update(channels)
    .set({ keyCipher: only.cipher, keyFingerprint: only.fingerprint })
    .where(eq(channels.id, id));
  await tx.delete(channelKeys).where(eq(channelKeys.channelId, id));
}

async function findKey(tx: Database, id: number, keyId: number): Promise<{ fingerprint: string; status: number }> {
  const [row] = await tx
    .select({ fingerprint: channelKeys.fingerprint, status: channelKeys.status })
    .from(channelKeys)
    .where(and(eq(channelKeys.id, keyId), eq(channelKeys.channelId, id)));
  if (!row) throw new AppError("not_found", "channelKeyNotFound");
  return row;
}

async function countKeys(tx: Database, id: number, status?: number): Promise<number> {
  const condition = and(
    eq(channelKeys.channelId, id),
    status === undefined ? undefined : eq(channelKeys.status, status),
  );
  const [row] = await tx.select({ total: count() }).from(channelKeys).where(condition);
  return row?.total ?? 0;
}

async function needKeyInUse(tx: Database, id: number, name: string): Promise<void> {
  if ((await countKeys(tx, id, CHANNEL_STATUS.enabled)) === 0)
    throw new AppError("invalid", "channelNoKeyInUse", { name });
}

/** channel_keys has no trigger of its own, so this notifies the gateways as for a change of the channel. */
async function tellProcesses(tx: Database, id: number): Promise<void> {
  await tx.execute(sql`select pg_notify('weir', ${`channels:${id}`})`);
}
