import type { Sql } from "@/db/client";
import { LOG_TYPE } from "@/lib/row-status";
import { readBoth, type StoredPart } from "./both-queries";
import type { ReadableStore } from "./store";
import { logStore } from "./store";

const MINUTE = 60;
const HOUR = 3_600;

type Fragment = ReturnType<Sql["unsafe"]> | ReturnType<Sql>;

/** Short stretches of the log. `owner` undefined = all users. */
export type MinuteWindow = { stretches: readonly { from: number; until: number }[]; owner?: number | undefined };

const COLUMNS = ["hour", "user_id", "token_id", "channel_id", "model_name", "group"] as const;
/** What the rows of a window are told apart by; `hour` is the minute. */
export type MinuteColumn = (typeof COLUMNS)[number];

export type MinuteRows = ReturnType<typeof minutesOf>;

/**
 * The log of stretches with the columns of usage_hourly, `hour` being the minute, as an SQL fragment for a from clause. In an
 * object, because a fragment that is awaited is a statement. The columns of `by` can be relied on: from a log store come sums
 * by these, without the others.
 */
export async function readMinutes(
  sql: Sql,
  window: MinuteWindow,
  by: readonly MinuteColumn[],
): Promise<{ rows: MinuteRows }> {
  const store = logStore();
  if (store === null) return { rows: minutesOf(sql, window, sql`usage_logs`) };
  const sums = JSON.stringify(await readSums(store, sql, window, by));
  return {
    rows: sql`(
      select * from json_to_recordset(${sums}::text::json) as given (hour bigint, user_id int, token_id int, channel_id int,
        model_name text, "group" text, count bigint, quota bigint, prompt_tokens bigint, completion_tokens bigint,
        cost bigint, unbilled_cost bigint, unknown_costs bigint)) minutes`,
  };
}

/** Counts and sums what settling adds to usage_hourly. */
function minutesOf(sql: Sql, { stretches, owner }: MinuteWindow, logs: Fragment) {
  const [froms, untils] = [stretches.map(({ from }) => from), stretches.map(({ until }) => until)];
  const within = sql`unnest(${froms}::bigint[], ${untils}::bigint[]) as stretch (first, after)`;
  return sql`(
    select created_at - created_at % ${MINUTE} as hour, user_id, token_id, channel_id, model_name, "group",
      (type = ${LOG_TYPE.consume})::int as count, quota, prompt_tokens, completion_tokens, coalesce(cost, 0) as cost,
      unbilled_cost, coalesce(unknown_costs, (type = ${LOG_TYPE.consume})::int) as unknown_costs
    from ${owner === undefined ? within : sql`(select *, ${hidesRows(sql, owner)} as hides from ${within}) as stretch`}
    cross join lateral (${rowsOf(sql, logs, owner)}) logs
    -- Refunds and adjustments of tasks are rows of type 4, as other events are that the ledger has.
    where type in (${LOG_TYPE.consume}, ${LOG_TYPE.error})
      or type = ${LOG_TYPE.system} and starts_with(request_id, 'end:')) minutes`;
}

/**
 * The rows of a stretch; one user's by the index of users, which leaves out hidden rows. Those are looked for among everybody's rows, and
 * only where the stretch has an hour in which the user has hidden usage.
 */
function rowsOf(sql: Sql, logs: Fragment, owner: number | undefined) {
  const rows = sql`select * from ${logs} where created_at >= stretch.first and created_at < stretch.after`;
  // The offsets keep the planner from a join with all of the log, and from reading all of an index that has the user further back.
  if (owner === undefined) return sql`${rows} offset 0`;
  return sql`
    ${rows} and user_id = ${owner} and not hidden
    union all
    select * from (${rows} and hidden and stretch.hides offset 0) hidden_rows where user_id = ${owner}`;
}

function hidesRows(sql: Sql, owner: number) {
  return sql`exists (
    select from usage_hourly where user_id = ${owner} and hour > stretch.first - ${HOUR} and hour < stretch.after
      and (hidden_count is null or hidden_count > 0))`;
}

type SumRow = Record<string, unknown>;

/** Sums of both places; what is asked of them is summed again. */
function readSums(
  store: ReadableStore,
  sql: Sql,
  window: MinuteWindow,
  by: readonly MinuteColumn[],
): Promise<SumRow[]> {
  const read = async ({ connection, here, stored }: { connection: Sql; here: string; stored: StoredPart }) => {
    const logs = connection.unsafe(`${here} usage_logs`);
    const names = by.map((name) => (name === "group" ? '"group"' : name)).join(", ");
    const [inPostgres, inStore] = await Promise.all([
      connection<SumRow[]>`
        select ${connection.unsafe(names)}, sum(count)::bigint as count, sum(quota)::bigint as quota,
          coalesce(sum(prompt_tokens) filter (where count > 0 or quota <> 0), 0)::bigint as prompt_tokens,
          coalesce(sum(completion_tokens) filter (where count > 0 or quota <> 0), 0)::bigint as completion_tokens,
          sum(cost)::bigint as cost, sum(unbilled_cost)::bigint as unbilled_cost,
          sum(unknown_costs)::bigint as unknown_costs
        from ${minutesOf(connection, window, logs)} group by ${connection.unsafe(names)}`,
      stored.query<SumRow>(storedSums(stored, window, by)),
    ]);
    return [...inPostgres, ...inStore];
  };
  return readBoth(store, sql, read, Math.min(...window.stretches.map(({ from }) => from)));
}

/** Tokens are those of rows that count for use, as every statement on these columns wants it. */
function storedSums({ rows }: StoredPart, { stretches, owner }: MinuteWindow, by: readonly MinuteColumn[]): string {
  const times = stretches.map(
    ({ from, until }) => `(created_at >= ${Math.floor(from)} and created_at < ${Math.ceil(until)})`,
  );
  const isRequest = `type = ${LOG_TYPE.consume}`;
  const isUse = `(${isRequest} or charged != 0)`;
  const names = by.map((name) => `\`${name}\``).join(", ");
  return `
    select ${names}, countIf(${isRequest}) as count, sum(charged) as quota, sumIf(prompt, ${isUse}) as prompt_tokens,
      sumIf(completion, ${isUse}) as completion_tokens, sum(ifNull(costs, 0)) as cost, sum(unbilled) as unbilled_cost,
      sum(ifNull(unknown, ${isRequest})) as unknown_costs
    from (
      select intDiv(created_at, ${MINUTE}) * ${MINUTE} as hour, user_id, token_id, channel_id, model_name, \`group\`, type,
        quota as charged, toInt64(prompt_tokens) as prompt, toInt64(completion_tokens) as completion, cost as costs,
        unbilled_cost as unbilled, unknown_costs as unknown
      from ${rows} and (${times.join(" or ")})
        ${owner === undefined ? "" : `and user_id = ${Math.floor(owner)}`}
        and (type in (${LOG_TYPE.consume}, ${LOG_TYPE.error}) or type = ${LOG_TYPE.system} and request_id like 'end:%')
    ) group by ${names}`;
}
