import { randomUUID } from "node:crypto";
import type { Sql } from "@/db/client";
import { logger } from "@/lib/logger";
import { type NotificationInput, notifyRoots } from "@/lib/notify/notify-commands";
import { CHANNEL_STATUS } from "@/lib/row-status";

type Changed = { id: number; name: string };

/**
 * Disables an enabled channel after a failure of its upstream and notifies root users. Reason and time are stored in
 * other_info. Returns whether this call disabled it.
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
 * Disables one of a channel's keys after a failure. When it was the last enabled key, the channel is disabled and root
 * users are notified. Returns whether this call disabled the key.
 */
export async function disableKeyAutomatically(
  sql: Sql,
  channelId: number,
  keyId: number,
  reason: string,
): Promise<boolean> {
  const left = await sql.begin(async (tx) => {
    // Locks the channel: without the lock, two keys failing at the same moment would each count the other as still
    // enabled.
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
 * Enables a channel that was disabled automatically and notifies root users. Returns whether this call enabled it. Its
 * automatically disabled keys are enabled too when no key is enabled.
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

/** Logs an error instead of throwing: a failed notification must not undo the change it is about. */
export async function tellRoots<Event extends Told>(sql: Sql, input: NotificationInput<Event>): Promise<void> {
  try {
    await notifyRoots(sql, input);
  } catch (error) {
    logger.error({ err: error, event: input.event }, "root could not be told about a channel");
  }
}
