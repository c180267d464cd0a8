import type { TransactionSql } from "postgres";

type Part = ReturnType<TransactionSql>;

/** Credited orders of which it is on record what was paid. */
function paidOrders(tx: TransactionSql): Part {
  return tx`
    select event.id, event.money, coalesce(
        case when entry.note ~ '^[0-9]+[.][0-9]{2}( |$)' then replace(split_part(entry.note, ' ', 1), '.', '')::bigint end,
        (select (payload->'paid'->>'cents')::bigint from payment_callbacks call
          where call.trade_no = event.trade_no and call.outcome = 'credited' order by id limit 1)) as cents
    from top_ups event join ledger_entries entry
      on entry.reference = 'topup:' || event.trade_no and entry.user_id = event.user_id
    where event.status = 'success'`;
}

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
  // What was paid, in hundredths, as the ledger's note or the provider's call has it.
  "top_ups.money": (tx) => ({
    stored: tx`select id::bigint, round(money * 100)::bigint as stored from (${paidOrders(tx)}) as paid where cents is not null`,
    parts: tx`select id::bigint, cents as part from (${paidOrders(tx)}) as paid where cents is not null`,
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
