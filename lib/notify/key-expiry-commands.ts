import type { Sql } from "@/db/client";
import { TOKEN_STATUS } from "@/lib/row-status";
import { notify } from "./notify-commands";

const DAY = 86_400;
/** So long before a key expires its owner is warned, once each. */
const STEPS = [7 * DAY, DAY] as const;

type Expiring = { id: number; userId: number; name: string; expiredTime: number; createdTime: number };

/**
 * Warns the owners of keys that expire within seven days, and again within one. A key that was made to last no longer
 * than that is not announced on its first day; a key whose expiry is moved is warned about anew. Returns how many warnings.
 */
export async function warnOfExpiry(sql: Sql, now: number): Promise<number> {
  const rows = await sql<Expiring[]>`
    select id, user_id as "userId", name, expired_time as "expiredTime", created_time as "createdTime" from tokens
    where expired_time > ${now} and expired_time <= ${now + STEPS[0]} and deleted_at is null
      and status = ${TOKEN_STATUS.enabled}
    order by expired_time, id`;
  let warned = 0;
  for (const { id, userId, name, expiredTime, createdTime } of rows) {
    const step = STEPS.findLast((seconds) => expiredTime - now <= seconds);
    if (step === undefined || expiredTime - createdTime <= step) continue;
    const isNew = await notify(sql, {
      userId,
      event: "key_expires",
      params: { key: name, at: expiredTime },
      dedupeKey: `key-expires:${id}:${expiredTime}:${step}`,
    });
    if (isNew) warned += 1;
  }
  return warned;
}
