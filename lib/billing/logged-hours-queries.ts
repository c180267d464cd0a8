import type { Sql } from "@/db/client";
import { readBoth } from "@/lib/log-store/both-queries";
import { logStore } from "@/lib/log-store/store";

// What the usage log has of some hours, for the check of the books: SQL fragments, in objects because a fragment that is
// awaited is a statement. While a log store is in use they are made of rows that were read from both places.

const HOUR = 3_600;

type Span = { from: number; until: number };
type Fragment = ReturnType<Sql> | ReturnType<Sql["unsafe"]>;
type Row = Record<string, unknown>;

/** What was charged and what it cost, by hour, user, token, channel, model and group. */
export async function loggedSums(sql: Sql, span: Span): Promise<{ logged: Fragment }> {
  if (logStore() === null) return { logged: sums(sql, span, sql`usage_logs`) };
  const rows = await readRows(
    sql,
    span,
    sums,
    (stored) => `
    select intDiv(created_at, ${HOUR}) * ${HOUR} as hour, user_id, token_id, channel_id, model, group_name as \`group\`,
      sum(charged) as quota, countIf(type = 2) as count, sumIf(asked, type = 2) as prompt, sumIf(said, type = 2) as completion,
      countIf(unseen = 1 and (type = 2 or charged != 0)) as hidden, sumIf(bought, type != 4) as cost,
      sumIf(unpaid, type != 4) as unbilled, sumIf(ifNull(unknowns, type = 2), type != 4) as unknown
    from (select created_at, user_id, token_id, channel_id, type, model_name as model, \`group\` as group_name,
      quota as charged, prompt_tokens as asked, completion_tokens as said, hidden as unseen, ifNull(cost, 0) as bought,
      unbilled_cost as unpaid, unknown_costs as unknowns
      from ${stored} and (type in (2, 5) and request_text not like 'test:%' or type = 4 and request_text like 'end:%'))
    group by hour, user_id, token_id, channel_id, model, group_name`,
  );
  return {
    logged: sql`
      select hour, user_id, token_id, channel_id, model as model_name, "group", sum(quota)::bigint as quota,
        sum(count)::bigint as count, sum(prompt)::bigint as prompt, sum(completion)::bigint as completion,
        sum(hidden)::bigint as hidden, sum(cost)::bigint as cost, sum(unbilled)::bigint as unbilled,
        sum(unknown)::bigint as unknown
      from json_to_recordset(${rows}::text::json) as given (hour bigint, user_id int, token_id int, channel_id int,
        model text, "group" text, quota bigint, count bigint, prompt bigint, completion bigint, hidden bigint, cost bigint,
        unbilled bigint, unknown bigint) group by 1, 2, 3, 4, 5, 6`,
  };
}

/** Charges whose row lists attempts, and how many of these delivered. `alike`: how many charges a row stands for. */
export async function chargedAttempts(sql: Sql, span: Span): Promise<{ charged: Fragment }> {
  if (logStore() === null) return { charged: attempts(sql, span, sql`usage_logs`) };
  // Those that are as they should be are only counted.
  const rows = await readRows(
    sql,
    span,
    attempts,
    (stored) => `
    select any(row) as id, any(request) as request_id, delivered, delivered_here, count() as alike
    from (select row, request, if(whole > 0, whole, least(parts, 1)) as delivered, least(here, 1) as delivered_here
    from (select id as row, request_id as request, toInt32(delivered) as parts, toInt32(delivered_here) as here,
      toInt32(countEqual(\`attempts.outcome\`, 'ok') + countEqual(\`attempts.outcome\`, 'gone')) as whole from ${stored}
      and type = 2 and quota > 0 and delivered >= 0))
    group by delivered, delivered_here, if(delivered = 1 and delivered_here = 1, 0, row)`,
  );
  return {
    charged: sql`
      select * from json_to_recordset(${rows}::text::json) as given (id bigint, request_id text, delivered bigint,
        delivered_here bigint, alike bigint)`,
  };
}

/** Rows of the log store that are read in an hour to be computed anew: a sample where there are more. */
const STORED_ROWS_MAX = 50_000;

/** Charged rows with all that their charge can be computed from. */
export async function chargedRows(sql: Sql, span: Span): Promise<{ charged: Fragment }> {
  if (logStore() === null) return { charged: priced(sql, span, sql`usage_logs`) };
  const rows = await readRows(
    sql,
    span,
    priced,
    (stored) => `
    select id, request_id as request, created_at as at, quota, prompt_tokens as asked, completion_tokens as said, other
    from ${stored} and type = 2 and other like '%"lines":[%' order by cityHash64(id) limit ${STORED_ROWS_MAX}`,
  );
  return {
    charged: sql`
      select id, request, at, quota, asked, said, other::text::jsonb as other
      from json_to_recordset(${rows}::text::json) as given (id bigint, request text, at bigint, quota bigint, asked bigint,
        said bigint, other text)`,
  };
}

function priced(sql: Sql, { from, until }: Span, logs: Fragment) {
  return sql`
        select id, request_id as request, created_at as at, quota, prompt_tokens as asked, completion_tokens as said, other
        from ${logs}
        where type = 2 and created_at >= ${from} and created_at < ${until} and jsonb_typeof(other->'lines') = 'array'`;
}

function sums(sql: Sql, { from, until }: Span, logs: Fragment) {
  return sql`
        select created_at - created_at % ${HOUR} as hour, user_id, token_id, channel_id, model_name, model_name as model, "group",
          sum(quota)::bigint as quota, count(*) filter (where type = 2) as count,
          coalesce(sum(prompt_tokens) filter (where type = 2), 0)::bigint as prompt,
          coalesce(sum(completion_tokens) filter (where type = 2), 0)::bigint as completion,
          count(*) filter (where hidden and (type = 2 or quota <> 0)) as hidden,
          coalesce(sum(cost) filter (where type <> 4), 0)::bigint as cost,
          coalesce(sum(unbilled_cost) filter (where type <> 4), 0)::bigint as unbilled,
          coalesce(sum(coalesce(unknown_costs, (type = 2)::int)) filter (where type <> 4), 0)::bigint as unknown
        from ${logs}
        -- Tests of channels are in no sums.
        -- Refunds and adjustments of tasks are rows of type 4, as other events are that the ledger has.
        where (type in (2, 5) and not starts_with(request_id, 'test:') or type = 4 and starts_with(request_id, 'end:'))
          and created_at >= ${from} and created_at < ${until} group by 1, 2, 3, 4, 5, 7`;
}

/** An answer that was cut and continued was delivered by several, of which the last one may be whole; it is charged once. */
function attempts(sql: Sql, { from, until }: Span, logs: Fragment) {
  return sql`
        select id, request_id, 1 as alike, case when whole > 0 then whole else least(parts, 1) end as delivered,
          least(here, 1) as delivered_here
        from ${logs} cross join lateral (
          select count(*) filter (where attempt->>'outcome' in ('ok', 'gone')) as whole, count(*) as parts,
            count(*) filter (where attempt->>'channel' = channel_id::text) as here
          from jsonb_array_elements(other->'admin_info'->'attempts') as attempt
          where attempt->>'outcome' in ('ok', 'cut', 'gone')) as counted
        where type = 2 and quota > 0 and created_at >= ${from} and created_at < ${until}
          and jsonb_typeof(other->'admin_info'->'attempts') = 'array'`;
}

/** Rows of both places as JSON. */
async function readRows(
  sql: Sql,
  { from, until }: Span,
  here: (sql: Sql, span: Span, logs: Fragment) => Fragment,
  stored: (rows: string) => string,
): Promise<string> {
  const store = logStore();
  if (store === null) throw new Error("there is no log store");
  const rows = await readBoth(
    store,
    sql,
    async (parts) => {
      const { connection } = parts;
      const logs = connection.unsafe(`${parts.here} usage_logs`);
      const inStore = stored(`${parts.stored.rows} and created_at >= ${from} and created_at < ${until}`);
      const [inPostgres, others] = await Promise.all([
        connection<Row[]>`${here(connection, { from, until }, logs)}`,
        parts.stored.query<Row>(inStore),
      ]);
      return [...inPostgres, ...others];
    },
    from,
  );
  return JSON.stringify(rows);
}
