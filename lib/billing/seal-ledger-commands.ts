import type { TransactionSql } from "postgres";
import { ENTRY_HASH, SEALED_IDS } from "./reconcile-records";

/** Name in job_positions: the last id that a check of the books has seen. */
const SEEN = "books-ledger";

/**
 * Seals what is new in the ledger up to the last entry that the check before has seen: by now every transaction that has a
 * smaller id has ended. What is sealed already stays, also where it no longer agrees.
 */
export async function sealLedger(tx: TransactionSql): Promise<void> {
  await tx`
    with seen as (select coalesce((select position from job_positions where job = ${SEEN}), -1)::bigint as until),
    open as (
      select coalesce((select until_id from ledger_seals order by block desc limit 1), -1) as last),
    fresh as (
      select id / ${SEALED_IDS}::bigint as block, max(id) as until_id, count(*)::int as rows, sum(amount)::bigint as amount,
        sum(${tx.unsafe(ENTRY_HASH)}) as digest
      from ledger_entries, seen, open where id > open.last and id <= seen.until group by 1)
    insert into ledger_seals as seal (block, until_id, rows, amount, digest)
    select block, until_id, rows, amount, digest::text from fresh order by block
    on conflict (block) do update set until_id = excluded.until_id, rows = seal.rows + excluded.rows,
      amount = seal.amount + excluded.amount, digest = (seal.digest::numeric + excluded.digest::numeric)::text,
      sealed_at = excluded.sealed_at`;
  await tx`
    insert into job_positions (job, position) select ${SEEN}, coalesce(max(id), -1) from ledger_entries
    on conflict (job) do update set position = excluded.position`;
}
