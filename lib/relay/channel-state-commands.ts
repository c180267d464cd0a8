import { randomUUID } from "node:crypto";
import type { Sql } from "@/db/client";
import { logger } from "@/lib/logger";
import { type NotificationInput, notifyRoots } from "@/lib/notify/notify-commands";
import { CHANNEL_STATUS } from "@/lib/row-status";

type Changed = { id: number; name: string };

/**
 * Switches an enabled channel off because of what its upstream answered, and tells root. The reason and the moment are
 * kept in other_info. Returns whether this call was the one that changed it.
 */
export async function disableChannelAutomatically(sql: Sql, channelId: number, reason: string): Promise<boolean> {
  const info = JSON.stringify({ status_reason: reason, status_time: Math.floor(Date.now() / 1000) });
  const rows = await sql<Changed[]>`
    update channels set status = ${CHANNEL_STATUS.autoDisabled}, other_info = other_info || ${info}::text::jsonb
    where id = ${channelId} and status = ${CHANNEL_STATUS.enabled} and auto_ban = 1 returning id, name`;
  for (const { id, name } of rows) {
    const params = { channelId: id, channelName: name, reason };
    await tellRoots(sql, { event: "channel_disabled", params, dedupeKey: `channel-disabled:${randomUUID()}` });
  }
  return rows.length > 0;
}

/**
 * Switches one of several keys off because of what the upstream answered to it; the channel goes with the last one, and
 * root is told then. Returns whether this call was the one that changed it.
 */
export async function disableKeyAutomatically(
  sql: Sql,
  channelId: number,
  keyId: number,
  reason: string,
): Promise<boolean> {
  const left = await sql.begin(async (tx) => {
    // Two keys that fail at the same moment must not each think that the other is left.
    const [channel] = await tx`select id from channels where id = ${channelId} and auto_ban = 1 for update`;
    if (!channel) return null;
    const changed = await tx`
      update channel_keys
      set status = ${CHANNEL_STATUS.autoDisabled}, reason = ${reason}, status_time = floor(extract(epoch from now()))::bigint
      where id = ${keyId} and channel_id = ${channelId} and status = ${CHANNEL_STATUS.enabled} returning id`;
    if (changed.length === 0) return null;
    await tx`select pg_notify('weir', ${`channels:${channelId}`})`;
    const [rest] = await tx<{ count: number }[]>`
      select count(*)::int as count from channel_keys where channel_id = ${channelId} and status = ${CHANNEL_STATUS.enabled}`;
    return rest?.count ?? 0;
  });
  if (left === 0) await disableChannelAutomatically(sql, channelId, `no key is left; the last one: ${reason}`);
  return left !== null;
}

/**
 * Switches a channel on again that the system had switched off, and tells root. Returns whether it had. Keys that were
 * switched off with it get another chance when no other is in use.
 */
export async function enableChannelAutomatically(sql: Sql, channelId: number): Promise<boolean> {
  const rows = await sql<Changed[]>`
    with changed as (
      update channels set status = ${CHANNEL_STATUS.enabled}, other_info = '{}'::jsonb
      where id = ${channelId} and status = ${CHANNEL_STATUS.autoDisabled} returning id, name
    ), revived as (
      update channel_keys set status = ${CHANNEL_STATUS.enabled}, reason = '', status_time = floor(extract(epoch from now()))::bigint
      where status = ${CHANNEL_STATUS.autoDisabled} and channel_id in (select id from changed)
        and not exists (select from channel_keys other where other.channel_id = ${channelId} and other.status = ${CHANNEL_STATUS.enabled})
    )
    select id, name from changed`;
  for (const { id, name } of rows) {
    const params = { channelId: id, channelName: name };
    await tellRoots(sql, { event: "channel_enabled", params, dedupeKey: `channel-enabled:${randomUUID()}` });
  }
  return rows.length > 0;
}

type Told = "channel_disabled" | "channel_enabled" | "channel_test_finished";

/** A message that cannot be written must not undo what it is about. */
export async function tellRoots<Event extends Told>(sql: Sql, input: NotificationInput<Event>): Promise<void> {
  try {
    await notifyRoots(sql, input);
  } catch (error) {
    logger.error({ err: error, event: input.event }, "root could not be told about a channel");
  }
}
