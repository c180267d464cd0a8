import { databaseOf, type Sql } from "@/db/client";
import { loadOptions } from "@/lib/option/queries";
import { USER_STATUS } from "@/lib/row-status";
import { notify } from "./notify-commands";

const HOUR = 3_600;
/** Only avoids needless work: the interval is enforced by the event's limit in notify. */
const TWO_HOURS = 2 * HOUR;

type LowBalance = { userId: number; balance: number; threshold: number };

/**
 * Notifies users whose balance is below their threshold (their own, else QuotaRemindThreshold), at most once in two
 * hours each. Only users with consumption in this hour or the previous one are checked, found by the hourly sums, so
 * that neither requests nor settlements need the check. Returns how many were notified.
 */
export async function notifyLowBalances(sql: Sql): Promise<number> {
  const { QuotaRemindThreshold } = await loadOptions(databaseOf(sql));
  const since = (Math.floor(Date.now() / 1000 / HOUR) - 1) * HOUR;
  const low = await sql<LowBalance[]>`
    with own as (
      select u.id, u.quota, case when jsonb_typeof(u.setting->'quota_warning_threshold') = 'number'
        then (u.setting->>'quota_warning_threshold')::numeric else ${QuotaRemindThreshold} end as threshold
      from users u
      where u.status = ${USER_STATUS.enabled} and u.deleted_at is null
        and u.id in (select h.user_id from usage_hourly h where h.hour >= ${since} and h.count > 0))
    select id as "userId", quota as balance, least(threshold, ${Number.MAX_SAFE_INTEGER})::bigint as threshold
    from own where quota < threshold
      and not exists (
        select 1 from notifications n
        where n.user_id = own.id and n.event = 'balance_low'
          and n.created_at > floor(extract(epoch from now()))::bigint - ${TWO_HOURS})
    order by id`;
  let told = 0;
  for (const { userId, balance, threshold } of low) {
    const input = { userId, event: "balance_low", params: { balance, threshold }, dedupeKey: "" } as const;
    if (await notify(sql, input)) told += 1;
  }
  return told;
}
