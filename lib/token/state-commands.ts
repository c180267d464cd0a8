import type { Sql } from "@/db/client";
import { TOKEN_STATUS } from "@/lib/row-status";

/** Marks a token whose time is up as expired, as the lists show it. */
export async function markTokenExpired(sql: Sql, tokenId: number): Promise<void> {
  await sql`
    update tokens set status = ${TOKEN_STATUS.expired}
    where id = ${tokenId} and status = ${TOKEN_STATUS.enabled} and expired_time <> -1 and expired_time <= floor(extract(epoch from now()))::bigint`;
}

/** Marks a token without anything left as used up. */
export async function markTokenUsedUp(sql: Sql, tokenId: number): Promise<void> {
  await sql`
    update tokens set status = ${TOKEN_STATUS.exhausted}
    where id = ${tokenId} and status = ${TOKEN_STATUS.enabled} and not unlimited_quota and remain_quota <= 0`;
}
