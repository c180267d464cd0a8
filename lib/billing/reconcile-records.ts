import type { TransactionSql } from "postgres";
import { LOGS_CLEARED } from "@/lib/log-store/cleared";

type Found = { rows: number; differences: { id: number; stored: number; computed: number; detail: string }[] };
type FoundRow = { id: number | null; stored: number; computed: number; detail: string; rows: number };

/** Ids of ledger_entries in a block that is sealed. */
export const SEALED_IDS = 1_000;

/** A hash of an entry; of the columns by name, so that a new one changes none. */
export const ENTRY_HASH = `hashtextextended(concat_ws('|', id, user_id, amount, kind, reference, actor_id, note, created_at), 0)`;

/** What may only grow, and was put on record when it did. */
export const RECORD_CHECKS: Record<string, (tx: TransactionSql) => Promise<Found>> = {
  /** The time before which the log is cleared is the one that was last put on record; `id` is 0. */
  "job_positions.logs-cleared": async (tx) =>
    toFound(
      await tx<FoundRow[]>`
        with compared as (
          select 0::bigint as id, position as stored, coalesce((select max(until) from log_clearings), 0)::bigint as computed,
            'the log is cleared up to another time than was put on record' as detail
          from job_positions where job = ${LOGS_CLEARED})
        select differing.*, (select count(*) from compared) as rows
        from (select) as one left join compared as differing on stored <> computed`,
    ),
  /** Entries of the ledger are as the last checks found them; `id` is the first of a block, the amounts are its sums. */
  "ledger_entries.sealed": async (tx) =>
    toFound(
      await tx<FoundRow[]>`
        with present as (
          select seal.block, count(entry.id) as rows, coalesce(sum(entry.amount), 0)::bigint as amount,
            coalesce(sum(entry.digest), 0)::text as digest
          from ledger_seals seal left join (
            select id, amount, ${tx.unsafe(ENTRY_HASH)} as digest from ledger_entries) as entry
            on entry.id >= seal.block * ${SEALED_IDS}::bigint and entry.id <= seal.until_id
          group by seal.block),
        compared as (
          select seal.block * ${SEALED_IDS}::bigint as id, present.amount as stored, seal.amount as computed,
            format('an entry among ids %s to %s was changed, rows %s/%s', seal.block * ${SEALED_IDS}::bigint, seal.until_id,
              present.rows, seal.rows) as detail,
            present.digest <> seal.digest or present.rows <> seal.rows as differs
          from ledger_seals seal join present using (block))
        select differing.id, differing.stored, differing.computed, differing.detail, total.rows
        from (select count(*) as rows from compared) as total left join compared as differing on differs
        order by differing.id`,
    ),
  /** Every table that is append-only has its trigger, switched on; `id` is the table's oid. */
  "append_only.triggers": async (tx) =>
    toFound(
      await tx<FoundRow[]>`
        with wanted (root, name, is_inherited) as (values
          ('ledger_entries', 'ledger_entries_append_only', false), ('ledger_entries', 'ledger_entries_no_truncate', false),
          ('log_clearings', 'log_clearings_append_only', false), ('month_statements', 'month_statements_append_only', false),
          ('statement_units', 'statement_units_append_only', false),
          ('usage_logs', 'usage_logs_append_only', true), ('usage_logs', 'usage_logs_no_truncate', false)),
        tables as (
          select root::regclass::oid as id, name from wanted
          union all select inhrelid, name from wanted join pg_inherits on inhparent = root::regclass where is_inherited),
        compared as (
          select tables.id::bigint as id, count(pg_trigger.oid)::bigint as stored, 1::bigint as computed,
            format('%s of %s is missing or switched off', name, tables.id::regclass) as detail
          from tables left join pg_trigger on tgrelid = tables.id and tgname = name and tgenabled in ('O', 'A')
          group by tables.id, name)
        select differing.*, (select count(*) from compared) as rows
        from (select) as one left join compared as differing on stored <> computed order by differing.id`,
    ),
};

/** The number of compared rows comes with every row, also where none differs. */
function toFound(rows: readonly FoundRow[]): Found {
  return {
    rows: rows[0]?.rows ?? 0,
    differences: rows.flatMap(({ id, stored, computed, detail }) =>
      id === null ? [] : [{ id, stored, computed, detail }],
    ),
  };
}
