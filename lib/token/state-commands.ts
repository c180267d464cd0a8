import type { Sql } from "@/db/client";
import { TOKEN_STATUS } from "@/lib/row-status";

type OwnToken = { id: number; userId: number };

/** Sets the stored status, which lists use, of a token past its expiry. */
export async function markTokenExpired(sql: Sql, { id, userId }: OwnToken): Promise<void> {
  await sql`
    update tokens set status = ${TOKEN_STATUS.expired}
    where id = ${id} and user_id = ${userId} and status = ${TOKEN_STATUS.enabled} and expired_time <> -1 and expired_time <= floor(extract(epoch from now()))::bigint`;
}

/** Sets the stored status of a token without remaining quota. */
export async function markTokenUsedUp(sql: Sql, { id, userId }: OwnToken): Promise<void> {
  await sql`
    update tokens set status = ${TOKEN_STATUS.exhausted}
    where id = ${id} and user_id = ${userId} and status = ${TOKEN_STATUS.enabled} and not unlimited_quota and remain_quota <= 0`;
}
