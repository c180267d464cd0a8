import { eq, inArray, sql } from "drizzle-orm";
import type { Database } from "@/db/client";
import { channelKeys, channels } from "@/db/schema";
import { writeAudit, writeAudits } from "@/lib/audit/commands";
import { nowSeconds } from "@/lib/clock";
import { ROLE, requireRole, type ServiceContext } from "@/lib/context";
import { AppError } from "@/lib/errors";
import { CHANNEL_STATUS, type SwitchStatus } from "@/lib/row-status";
import { mergeTexts, refuseChanged, type Seen } from "@/lib/seen";
import { parseInput } from "@/lib/validation";
import { checkAddress, isRoot, leadsElsewhere, mayAllowStored, mayMove } from "./address-guard";
import { sealKey } from "./fingerprint";
import { reviveKeys } from "./key-state-commands";
import { type Checks, loadChecks } from "./load-checks";
import { channelFields } from "./queries";
import {
  type CreateChannelInput,
  createChannelSchema,
  isOtherValid,
  splitKeys,
  type UpdateChannelInput,
  updateChannelSchema,
} from "./schemas";
import type { Channel } from "./types";

/** Creates one channel per line of the key, all with the same name, or one channel with all the keys. */
export async function createChannels(ctx: ServiceContext, input: CreateChannelInput): Promise<Channel[]> {
  requireRole(ctx, ROLE.admin);
  const { key, severalKeys, ...given } = parseInput(createChannelSchema, input);
  const { checkKeys, meantBaseUrl } = await loadChecks();
  const values = { ...given, baseUrl: meantBaseUrl(given.type, given.baseUrl) };
  checkAddress(ctx, values);
  const privateAllowed = isRoot(ctx);
  const keys = splitKeys(values.type, key);
  checkKeys(values.type, keys);
  const first = severalKeys ? keys.slice(0, 1) : keys;
  return ctx.db.transaction(async (tx) => {
    const rows = await tx
      .insert(channels)
      .values(first.map((one) => ({ ...values, privateAllowed, ...sealedKey(one) })))
      .returning(channelFields);
    const [only] = rows;
    if (severalKeys && keys.length > 1 && only) {
      const sealed = keys.map(sealKey);
      await tx
        .insert(channelKeys)
        .values(sealed.map(({ cipher, fingerprint }) => ({ channelId: only.id, keyCipher: cipher, fingerprint })));
    }
    await writeAudits(
      tx,
      ctx,
      rows.map((row) => ({ action: "channel.create", subject: `channel:${row.id}`, after: row })),
    );
    return rows;
  });
}

/**
 * Changes the given fields. Only root may send a key that is there already to another address, and may trust an address with
 * the private network, by setting it or the key; who else sets one of them takes that trust away. Enabling clears the system's
 * reason for disabling. A given key replaces all keys of the channel. Throws conflict for a field that somebody else has changed
 * since the client saw it.
 */
export async function updateChannel(ctx: ServiceContext, input: UpdateChannelInput): Promise<Channel> {
  requireRole(ctx, ROLE.admin);
  const { id, key, seen, ...given } = parseInput(updateChannelSchema, input);
  const wanted = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
  const checks = await loadChecks();
  /** With the base URL that was meant, as requests of the type need it. */
  const withMeantAddress = (channel: Channel): Channel => ({
    ...channel,
    baseUrl: checks.meantBaseUrl(channel.type, channel.baseUrl),
  });
  return ctx.db.transaction(async (tx) => {
    const before = await lockChannel(tx, id);
    const setting = mergedSetting(before, wanted.setting, seen);
    const changes = setting === null ? wanted : { ...wanted, setting };
    refuseChanged(before, changes, setting === null ? seen : { ...seen, setting: before.setting });
    const after = withMeantAddress({ ...before, ...changes });
    const isMoved = leadsElsewhere(withMeantAddress(before), after);
    if (isMoved) mayMove(ctx, after, key);
    mayAllowStored(ctx, before, after, key);
    if (!isOtherValid(after.type, after.other)) throw new AppError("invalid", "channelRegionInvalid");
    const values = {
      ...changes,
      ...(given.baseUrl === undefined && given.type === undefined ? {} : { baseUrl: after.baseUrl }),
      ...(isMoved || isGiven(key) ? { privateAllowed: isRoot(ctx) } : {}),
      ...(isGiven(key) ? sealedKey(singleKey(after.type, key, checks)) : {}),
      ...(given.status !== undefined && given.status !== before.status ? { otherInfo: {} } : {}),
    };
    if (Object.keys(values).length === 0) return before;
    const [row] = await tx.update(channels).set(values).where(eq(channels.id, id)).returning(channelFields);
    if (!row) throw new AppError("not_found", "channelNotFound");
    if (isGiven(key)) {
      await tx.delete(channelKeys).where(eq(channelKeys.channelId, id));
    }
    if (row.status === CHANNEL_STATUS.enabled && before.status !== row.status) await reviveKeys(tx, [id]);
    await writeAudit(tx, ctx, { action: "channel.update", subject: `channel:${id}`, before, after: row });
    return row;
  });
}

/** Enables or disables channels by hand; returns how many changed. */
export async function setChannelStatus(ctx: ServiceContext, ids: number[], status: SwitchStatus): Promise<number> {
  requireRole(ctx, ROLE.admin);
  return ctx.db.transaction(async (tx) => {
    const rows = await tx
      .update(channels)
      .set({ status, otherInfo: {} })
      .where(inArray(channels.id, atLeastOne(ids)))
      .returning({ id: channels.id });
    if (status === CHANNEL_STATUS.enabled) await reviveKeys(tx, ids);
    await writeAudits(
      tx,
      ctx,
      rows.map(({ id }) => ({ action: "channel.status", subject: `channel:${id}`, after: { status } })),
    );
    return rows.length;
  });
}

/** Deletes one channel. Its usage stays in logs and statistics. Throws not_found. */
export async function deleteChannel(ctx: ServiceContext, id: number): Promise<void> {
  if ((await deleteChannels(ctx, [id])) === 0) throw new AppError("not_found", "channelNotFound");
}

/** Deletes channels; returns how many existed. */
export async function deleteChannels(ctx: ServiceContext, ids: number[]): Promise<number> {
  requireRole(ctx, ROLE.admin);
  return ctx.db.transaction((tx) => removeAndAudit(tx, ctx, { ids: atLeastOne(ids) }));
}

/** Deletes every channel disabled by hand or by the system; returns how many. */
export async function deleteDisabledChannels(ctx: ServiceContext): Promise<number> {
  requireRole(ctx, ROLE.admin);
  return ctx.db.transaction(async (tx) => {
    const rows = await tx
      .select({ id: channels.id })
      .from(channels)
      .where(inArray(channels.status, [CHANNEL_STATUS.disabled, CHANNEL_STATUS.autoDisabled]))
      .for("update");
    return rows.length === 0 ? 0 : removeAndAudit(tx, ctx, { ids: rows.map(({ id }) => id) });
  });
}

/** Makes every process reload the channels; returns how many channels there are. */
export async function refreshChannels(ctx: ServiceContext): Promise<number> {
  requireRole(ctx, ROLE.admin);
  await ctx.db.execute(sql`select pg_notify('weir', 'channels:0')`);
  return ctx.db.$count(channels);
}

/** `error`: why it failed, "" where it passed. A quick failure is no fast answer, so only a success sets the duration. */
export async function recordChannelTest(
  ctx: ServiceContext,
  id: number,
  { error, timeMs }: { error: string; timeMs: number },
): Promise<void> {
  requireRole(ctx, ROLE.admin);
  const responseTime = error === "" ? { responseTime: Math.round(timeMs) } : {};
  await ctx.db
    .update(channels)
    .set({ testTime: nowSeconds(), testError: error, ...responseTime })
    .where(eq(channels.id, id));
}

export function atLeastOne(ids: number[]): number[] {
  if (ids.length === 0) throw new AppError("invalid", "channelIdsMissing");
  return ids;
}

async function removeAndAudit(tx: Database, ctx: ServiceContext, { ids }: { ids: number[] }): Promise<number> {
  const rows = await tx.delete(channels).where(inArray(channels.id, ids)).returning(channelFields);
  await writeAudits(
    tx,
    ctx,
    rows.map((row) => ({ action: "channel.delete", subject: `channel:${row.id}`, before: row })),
  );
  return rows.length;
}

/**
 * The wanted setting with the entries that others have changed meanwhile: it is one text to the database and many fields to people.
 * Null where both changed the same entry, and where nothing is to be brought together.
 */
function mergedSetting(before: Channel, wanted: unknown, seen: Seen | undefined): string | null {
  if (typeof wanted !== "string" || typeof seen?.setting !== "string") return null;
  return mergeTexts(seen.setting, before.setting, wanted)?.text ?? null;
}

function isGiven(key: string | undefined): key is string {
  return key !== undefined && key.trim() !== "";
}

/** Reads the row and locks it until the transaction ends. Throws not_found. */
export async function lockChannel(tx: Database, id: number): Promise<Channel> {
  const [row] = await tx.select(channelFields).from(channels).where(eq(channels.id, id)).for("update");
  if (!row) throw new AppError("not_found", "channelNotFound");
  return row;
}

function singleKey(type: number, key: string, { checkKeys }: Checks): string {
  const [first, ...others] = splitKeys(type, key);
  if (first === undefined || others.length > 0) throw new AppError("invalid", "channelOneKeyOnly");
  checkKeys(type, [first]);
  return first;
}

function sealedKey(key: string): { keyCipher: string; keyFingerprint: string } {
  const { cipher, fingerprint } = sealKey(key);
  return { keyCipher: cipher, keyFingerprint: fingerprint };
}
