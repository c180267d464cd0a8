import type { TransactionSql } from "postgres";
import type { Sql } from "@/db/client";
import { EVENT_CHECKS } from "./reconcile-events";
import { RECORD_CHECKS } from "./reconcile-records";

export type Difference = {
  /** The column, e.g. "users.quota". */
  check: string;
  /** Id of the row; the hour for sums by hour. */
  id: number;
  stored: number;
  /** The sum of the ledger entries, metered usage or leases. */
  computed: number;
  detail?: string;
  /** Of a row of the log: the hour that it is in. */
  hour?: number;
};

export type Reconciliation = {
  /** Number of rows per check. */
  checked: Record<string, number>;
  differences: Difference[];
};

type Comparison = { rows: number; differences: Difference[] };

/**
 * Verifies the balances on one consistent snapshot, while the system runs: users.quota = Σ ledger − Σ metered;
 * used_quota and request_count of users, and used_quota of tokens and channels = Σ metered; reserved of users and
 * tokens = Σ leases + Σ open charges; the sums of hours by user, and of days by channel and model = Σ metered; remaining quota of
 * limited tokens = granted − used; pending and total earnings of inviters = Σ affiliate entries; paid and reversed orders and
 * used codes = their ledger entries. Usage of users and keys that do not exist is reported as a difference too, as is what should
 * be append-only and was changed.
 */
export async function reconcile(sql: Sql): Promise<Reconciliation> {
  return sql.begin("isolation level repeatable read read only", async (tx) => {
    const checked: Record<string, number> = {};
    const found: Difference[] = [];
    for (const [check, compare] of Object.entries(CHECKS)) {
      const comparison = await compare(tx, check);
      checked[check] = comparison.rows;
      found.push(...comparison.differences);
    }
    for (const [check, differing] of Object.entries(RECORD_CHECKS)) {
      const { rows, differences } = await differing(tx);
      checked[check] = rows;
      found.push(...differences.map((difference) => ({ check, ...difference })));
    }
    for (const [check, event] of Object.entries(EVENT_CHECKS)) {
      const { stored, parts } = event(tx);
      const comparison = await compareSums(tx, check, stored, parts);
      checked[check] = comparison.rows;
      found.push(...comparison.differences);
    }
    return { checked, differences: found };
  });
}

const CHECKS: Record<string, (tx: TransactionSql, check: string) => Promise<Comparison>> = {
  "users.quota": (tx, check) =>
    compareSums(
      tx,
      check,
      tx`select id, quota as stored from users`,
      tx`select user_id as id, amount as part from ledger_entries
         union all select user_id, -quota from usage_hourly`,
    ),
  "users.used_quota": (tx, check) =>
    compareSums(
      tx,
      check,
      tx`select id, used_quota as stored from users`,
      tx`select user_id as id, quota as part from usage_hourly`,
    ),
  "users.request_count": (tx, check) =>
    compareSums(
      tx,
      check,
      tx`select id, request_count as stored from users`,
      tx`select user_id as id, count as part from usage_hourly`,
    ),
  // What statements and sums of one user are read from. After the position they read usage_hourly itself.
  "usage_user_hours.quota": (tx, check) => {
    const isSummed = tx`hour < (select position from job_positions where job = 'usage-user-sums')`;
    return compareSums(
      tx,
      check,
      tx`select user_id as id, sum(quota)::bigint as stored from usage_user_hours where ${isSummed} group by user_id`,
      tx`select user_id as id, quota as part from usage_hourly where ${isSummed}`,
    );
  },
  "usage_channel_model_spans.quota": (tx, check) => compareDays(tx, check, "quota"),
  "usage_channel_model_spans.cost": (tx, check) => compareDays(tx, check, "cost"),
  "users.reserved": (tx, check) =>
    compareSums(
      tx,
      check,
      tx`select id, reserved as stored from users`,
      tx`select user_id as id, amount as part from leases where token_id = 0
         union all select user_id, reserved from open_charges`,
    ),
  "users.aff_quota": (tx, check) =>
    compareSums(
      tx,
      check,
      tx`select id, aff_quota as stored from users`,
      tx`select user_id as id, amount as part from affiliate_entries`,
    ),
  "users.aff_history_quota": (tx, check) =>
    compareSums(
      tx,
      check,
      tx`select id, aff_history_quota as stored from users`,
      tx`select user_id as id, amount as part from affiliate_entries where amount > 0 and kind <> 'reversal'`,
    ),
  "tokens.used_quota": (tx, check) =>
    compareSums(
      tx,
      check,
      tx`select id, used_quota as stored from tokens`,
      // A key is never deleted but marked as such, so one that has used something is there.
      tx`select token_id as id, quota as part from usage_hourly where token_id > 0`,
    ),
  "tokens.remain_quota": async (tx, check) => ({
    rows: await countRows(tx, tx`select from tokens where not unlimited_quota`),
    differences: (
      await tx<Omit<Difference, "check">[]>`
        select id, remain_quota as stored, granted_quota - used_quota as computed
        from tokens where not unlimited_quota and remain_quota <> granted_quota - used_quota order by id`
    ).map((row) => ({ check, ...row })),
  }),
  "tokens.reserved": (tx, check) =>
    compareSums(
      tx,
      check,
      tx`select id, reserved as stored from tokens`,
      tx`select token_id as id, amount as part from leases where token_id > 0
         union all select limited_token_id, reserved from open_charges where limited_token_id > 0`,
    ),
  "channels.used_quota": (tx, check) =>
    compareSums(
      tx,
      check,
      tx`select id, used_quota + coalesce(aside.quota, 0) as stored from channels left join (
           select channel_id as id, sum(quota)::bigint as quota from channel_charges group by channel_id) as aside using (id)`,
      tx`select channel_id as id, quota as part from usage_hourly where channel_id in (select id from channels)`,
    ),
};

/** What losses are read from, by channel. Of the spans the days alone are compared: longer ones are made of them. */
function compareDays(tx: TransactionSql, check: string, column: "quota" | "cost"): Promise<Comparison> {
  const end = tx`(select position - position % 86400 from job_positions where job = 'usage-channel-model-sums')`;
  return compareSums(
    tx,
    check,
    tx`select channel_id as id, sum(${tx(column)})::bigint as stored from usage_channel_model_spans
       where hours = 24 and start < ${end} group by channel_id`,
    tx`select channel_id as id, ${tx(column)} as part from usage_hourly where hour < ${end}`,
  );
}

async function countRows(tx: TransactionSql, rows: ReturnType<TransactionSql>): Promise<number> {
  const [counted] = await tx<{ rows: number }[]>`select count(*) as rows from (${rows}) as counted`;
  return counted?.rows ?? 0;
}

/** Compares `stored` with the sum of `parts`, by id. An id that is missing on one side counts as 0 there. */
async function compareSums(
  tx: TransactionSql,
  check: string,
  stored: ReturnType<TransactionSql>,
  parts: ReturnType<TransactionSql>,
): Promise<Comparison> {
  const found = await tx<{ id: number | null; stored: number; computed: number; rows: number }[]>`
    select differing.*, counted.rows
    from (select count(*) as rows from (${stored}) as stored) as counted left join (
      select id, coalesce(stored.stored, 0) as stored, coalesce(sums.computed, 0) as computed
      from (${stored}) as stored
      full join (select id, sum(part)::bigint as computed from (${parts}) as parts group by id) as sums using (id)
      where coalesce(stored.stored, 0) <> coalesce(sums.computed, 0)) as differing on true
    order by id`;
  return {
    rows: found[0]?.rows ?? 0,
    differences: found.flatMap(({ id, stored, computed }) => (id === null ? [] : [{ check, id, stored, computed }])),
  };
}
