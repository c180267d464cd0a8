import { sql } from "drizzle-orm";
import type { Database } from "@/db/client";
import { AppError } from "@/lib/errors";
import { CHANNEL_STATUS } from "@/lib/row-status";

/**
 * Makes newly enabled channels usable: where none of several keys is enabled, the keys disabled by the system are
 * enabled again. Throws invalid for a channel whose keys were all disabled by hand.
 */
export async function reviveKeys(tx: Database, channelIds: number[]): Promise<void> {
  const ids = sql`any(${sql.param(channelIds)}::int[])`;
  await tx.execute(sql`
    update channel_keys set status = ${CHANNEL_STATUS.enabled}, reason = '', status_time = floor(extract(epoch from now()))::bigint
    where channel_id = ${ids} and status = ${CHANNEL_STATUS.autoDisabled} and not exists (
      select from channel_keys other
      where other.channel_id = channel_keys.channel_id and other.status = ${CHANNEL_STATUS.enabled})`);
  const [unusable] = await tx.execute<{ name: string }>(sql`
    select name from channels
    where id = ${ids} and status = ${CHANNEL_STATUS.enabled}
      and exists (select from channel_keys where channel_id = channels.id)
      and not exists (select from channel_keys where channel_id = channels.id and status = ${CHANNEL_STATUS.enabled})
    limit 1`);
  if (unusable) throw new AppError("invalid", "channelNoKeyInUse", { name: unusable.name });
}
