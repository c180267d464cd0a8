import { createDatabase, type Sql } from "@/db/client";
import { migrateDatabase } from "@/db/migrate";
import { rollUpChannelHealth } from "@/lib/health/rollup-commands";
import { LOG_TYPE } from "@/lib/row-status";
import { rollUpUsage } from "@/lib/statistics/rollup-commands";
import { insertActors, insertOperations } from "./generate-scale-actors";
import { insertLogs } from "./generate-scale-logs";
import type { Scale } from "./generate-scale-sql";

export const FULL_SCALE: Scale = {
  channels: 10_000,
  users: 100_000,
  tokens: 200_000,
  redemptions: 50_000,
  logs: 5_000_000,
  days: 30,
  operations: 200_000,
  audits: 500_000,
};

/**
 * Fills an empty database with generated data of the given size. Consumption follows Zipf's law: the n-th token,
 * channel or user has about 1/n of the requests of the first, so the first token alone makes several percent of all
 * requests. Every balance is the sum of its ledger entries minus its hourly usage, so `reconcile` finds no differences.
 * `say` is called for each step. Throws when the database already has logs.
 */
export async function generateScale(url: string, scale: Scale, say: (text: string) => void = () => {}): Promise<void> {
  await migrateDatabase(url);
  const { sql: pool, end } = createDatabase({ url, max: 2, applicationName: "weir-scale" });
  // The steps share temporary tables, which go with their connection; one that is idle for long is closed otherwise.
  const sql = await pool.reserve();
  try {
    const [present] = await sql`select 1 from usage_logs limit 1`;
    if (present) throw new Error("the database already has usage logs; give an empty one");
    const from = Math.floor(Date.now() / 1000) - scale.days * 86_400;
    await sql`select weir_ensure_log_partitions(${from}::bigint, ${from + (scale.days + 92) * 86_400}::bigint)`;
    await insertActors(sql, scale, from, say);
    await insertOperations(sql, scale, from, say);
    await insertLogs(sql, scale, from, say);
    await applySums(sql, say);
    say("statistics for the planner");
    await sql`vacuum analyze`;
    await runSummingJobs(pool, say);
    await sql`vacuum analyze`;
  } finally {
    sql.release();
    await end();
  }
}

async function applySums(sql: Sql, say: (text: string) => void): Promise<void> {
  say("hourly sums and balances");
  await sql`
    insert into usage_hourly (hour, user_id, token_id, channel_id, model_name, "group", count, quota, prompt_tokens, completion_tokens)
    select created_at - created_at % 3600, user_id, token_id, channel_id, model_name, "group", count(*), sum(quota),
      sum(prompt_tokens), sum(completion_tokens)
    from usage_logs where type = ${LOG_TYPE.consume} group by 1, 2, 3, 4, 5, 6 order by 1`;
  await sql`
    update users u set quota = coalesce(granted.amount, 0) - coalesce(used.quota, 0),
      used_quota = coalesce(used.quota, 0), request_count = coalesce(used.count, 0)
    from users present
    left join (select user_id, sum(amount) as amount from ledger_entries group by user_id) granted
      on granted.user_id = present.id
    left join (select user_id, sum(quota) as quota, sum(count) as count from usage_hourly group by user_id) used
      on used.user_id = present.id
    where present.id = u.id`;
  await sql`
    update tokens t set used_quota = s.quota, granted_quota = t.remain_quota + s.quota, accessed_time = s.last
    from (select token_id, sum(quota) as quota, max(hour) as last from usage_hourly group by token_id) s
    where s.token_id = t.id`;
  await sql`
    update channels c set used_quota = s.quota
    from (select channel_id, sum(quota) as quota from usage_hourly group by channel_id) s where s.channel_id = c.id`;
}

/** Runs the jobs that the worker would have run by now. */
export async function runSummingJobs(sql: Sql, say: (text: string) => void): Promise<void> {
  const now = Math.floor(Date.now() / 1000);
  await repeat("consumption", () => rollUpUsage(sql), say);
  await repeat("health", () => rollUpChannelHealth(sql, now), say);
}

async function repeat(what: string, run: () => Promise<number>, say: (text: string) => void): Promise<void> {
  let hours = 0;
  for (let done = await run(); done > 0; done = await run()) {
    hours += done;
    say(`${what} of ${hours} hours`);
  }
}
