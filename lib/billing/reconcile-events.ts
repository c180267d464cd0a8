import type { TransactionSql } from "postgres";

type Part = ReturnType<TransactionSql>;

/**
 * Events that change a balance, with the ledger entries that they must have: each pair is compared by the event's id. An
 * entry without its event appears under its own id, negated.
 */
export const EVENT_CHECKS: Record<string, (tx: TransactionSql) => { stored: Part; parts: Part }> = {
  "top_ups.quota": (tx) => ({
    stored: tx`select id::bigint, quota as stored from top_ups where status = 'success'`,
    parts: tx`
      select coalesce(event.id, -entry.id)::bigint as id, entry.amount as part
      from ledger_entries entry left join top_ups event
        on entry.reference = 'topup:' || event.trade_no and event.user_id = entry.user_id
      where entry.kind = 'topup'`,
  }),
  "top_ups.reversed_quota": (tx) => ({
    stored: tx`select id::bigint, reversed_quota as stored from top_ups where reversed_quota <> 0`,
    parts: tx`
      select coalesce(event.id, -entry.id)::bigint as id, -entry.amount as part
      from ledger_entries entry left join top_ups event
        on split_part(entry.reference, ':', 2) = event.trade_no and event.user_id = entry.user_id
      where entry.kind = 'reversal' and starts_with(entry.reference, 'reversal:')`,
  }),
  "redemptions.quota": (tx) => ({
    stored: tx`select id::bigint, quota as stored from redemptions where status = 3`,
    parts: tx`
      select coalesce(event.id, -entry.id)::bigint as id, entry.amount as part
      from ledger_entries entry left join redemptions event
        on entry.reference = 'redemption:' || event.id and event.used_user_id = entry.user_id
      where entry.kind = 'redemption'`,
  }),
  "tasks.quota": (tx) => ({
    // A task that failed costs nothing, whatever was moved for it.
    stored: tx`
      select id::bigint, case when status = 'FAILURE' then 0 else quota end as stored
      from tasks where request_id is not null`,
    parts: tx`
      select coalesce(event.id, -moved.task)::bigint as id, moved.amount as part
      from task_movements moved left join tasks event on event.id = moved.task and event.user_id = moved.user_id`,
  }),
};
