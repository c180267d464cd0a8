import type { Sql } from "@/db/client";

/** Channel states: 1 enabled, 2 switched off by hand, 3 switched off by the system. */
export const CHANNEL_AUTO_DISABLED = 3;

/**
 * Switches an enabled channel off because of what its upstream answered. The reason and the moment are kept in
 * other_info. Returns whether this call was the one that changed it.
 */
export async function disableChannelAutomatically(sql: Sql, channelId: number, reason: string): Promise<boolean> {
  const info = JSON.stringify({ status_reason: reason, status_time: Math.floor(Date.now() / 1000) });
  const rows = await sql`
    update channels set status = ${CHANNEL_AUTO_DISABLED}, other_info = other_info || ${info}::text::jsonb
    where id = ${channelId} and status = 1 and auto_ban = 1 returning id`;
  return rows.length > 0;
}

/** Marks a token whose time is up as expired (status 3), as the lists show it. */
export async function markTokenExpired(sql: Sql, tokenId: number): Promise<void> {
  await sql`
    update tokens set status = 3
    where id = ${tokenId} and status = 1 and expired_time <> -1 and expired_time <= extract(epoch from now())::bigint`;
}

/** Marks a token without anything left as used up (status 4). */
export async function markTokenUsedUp(sql: Sql, tokenId: number): Promise<void> {
  await sql`
    update tokens set status = 4
    where id = ${tokenId} and status = 1 and not unlimited_quota and remain_quota <= 0`;
}
