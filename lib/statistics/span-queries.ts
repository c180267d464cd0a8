import type { Sql } from "@/db/client";
import type { MinuteRows } from "@/lib/log-store/minute-queries";
import { coverWindow, type Span, type Stretch, type Summed } from "./spans";
import type { UsageTotals } from "./types";

const HOUR = 3_600;
/** Multiples of the wanted rows that are read from each part; the second is used when the first is not enough. */
const HEADS = [3, 30] as const;

const COLUMNS = { user: "user_id", token: "token_id", channel: "channel_id" } as const;
export type SpanDimension = keyof typeof COLUMNS;

type Top = UsageTotals & { key: number };
/** Whole hours; `cut` has the rows of parts of an hour at the ends, where there are any. */
type Search = {
  dimension: SpanDimension;
  from: number;
  until: number;
  rows: number;
  summed: Summed;
  cut?: MinuteRows | null | undefined;
};

/**
 * The users, tokens or channels with the highest consumption in a window, highest first. Only the top of each span is
 * read: a key that is in none of these tops cannot have more than the sum of their last rows. If that bound does not
 * prove the result, more rows are read.
 */
export async function readTop(sql: Sql, search: Search): Promise<Top[]> {
  for (const factor of HEADS) {
    const found = await readHeads(sql, search, search.rows * factor);
    const bound = found[0]?.bound ?? null;
    const last = found[search.rows - 1];
    if (bound === null || (last && last.quota > bound)) return found.map(({ bound: _, ...top }) => top);
  }
  return readAll(sql, search);
}

/** The spans as a table, and the consumption of the stretches not covered by spans. */
function partsOf(sql: Sql, { dimension, from, until, summed, cut }: Search) {
  const { spans, rest } = coverWindow(from, until, summed);
  const [first, second] = rest.map((stretch) => hoursOf(sql, dimension, stretch));
  const nothing = sql`select 0 as key, 0::bigint as count, 0::bigint as quota, 0::bigint as tokens where false`;
  return sql`
    spans as (select hours, start from ${spanRows(sql, spans)}),
    rest as materialized (
      select key, sum(count)::bigint as count, sum(quota)::bigint as quota, sum(tokens)::bigint as tokens
      from (
        ${first ?? nothing} ${second ? sql`union all ${second}` : sql``} ${cut ? sql`union all ${cutOf(sql, dimension, cut)}` : sql``}
      ) ends group by key)`;
}

/** Spans as rows of a from clause. */
export function spanRows(sql: Sql, spans: readonly Span[]) {
  return sql`
    unnest(${spans.map(({ hours }) => hours)}::int[], ${spans.map(({ start }) => start)}::bigint[]) as given (hours, start)`;
}

function cutOf(sql: Sql, dimension: SpanDimension, cut: MinuteRows) {
  return sql`
    select ${sql(COLUMNS[dimension])} as key, count, quota, prompt_tokens + completion_tokens as tokens
    from ${cut} where count <> 0 or quota <> 0`;
}

function hoursOf(sql: Sql, dimension: SpanDimension, { from, until }: Stretch) {
  return sql`
    select ${sql(COLUMNS[dimension])} as key, count, quota, prompt_tokens + completion_tokens as tokens
    from usage_hourly where hour >= ${from}::bigint and hour < ${until}::bigint
      and (count > 0 or quota <> 0)`;
}

/**
 * The highest totals among the keys in the top `most` of any part. `bound` is the maximum for any other key; null when
 * there are no other keys.
 */
async function readHeads(sql: Sql, search: Search, most: number): Promise<(Top & { bound: number | null })[]> {
  return sql<(Top & { bound: number | null })[]>`
    with ${partsOf(sql, search)},
    heads as materialized (
      select spans.hours, spans.start, head.key, head.quota from spans cross join lateral (
        select key, quota from usage_spans
        where dimension = ${search.dimension} and hours = spans.hours and start = spans.start
        order by quota desc limit ${most}) head
      union all
      (select 0, 0, key, quota from rest order by quota desc limit ${most})),
    bounds as (
      -- Another key can have less than nothing in a part, or nothing.
      select sum(greatest(least, 0))::bigint as bound from (
        select min(quota) as least from heads group by hours, start having count(*) >= ${most}::bigint) parts),
    meant as materialized (select distinct key from heads),
    parts as (
      select meant.key, part.count, part.quota, part.tokens from meant cross join spans cross join lateral (
        select count, quota, tokens from usage_spans
        where dimension = ${search.dimension} and hours = spans.hours and start = spans.start and key = meant.key
        limit 1) part
      union all
      select rest.key, rest.count, rest.quota, rest.tokens from rest join meant using (key))
    select key, sum(count)::bigint as count, sum(quota)::bigint as quota, sum(tokens)::bigint as tokens,
      (select bound from bounds) as bound
    from parts group by key having sum(count) <> 0 or sum(quota) <> 0 order by 3 desc, 2 desc, 1 limit ${search.rows}`;
}

async function readAll(sql: Sql, search: Search): Promise<Top[]> {
  return sql<Top[]>`
    with ${partsOf(sql, search)}
    select key, sum(count)::bigint as count, sum(quota)::bigint as quota, sum(tokens)::bigint as tokens
    from (
      select key, count, quota, tokens from usage_spans join spans using (hours, start)
      where dimension = ${search.dimension}
      union all
      select key, count, quota, tokens from rest
    ) parts
    group by key having sum(count) <> 0 or sum(quota) <> 0 order by 3 desc, 2 desc, 1 limit ${search.rows}`;
}

/**
 * The same for one user's consumption: by key from the spans, because a key has one owner; by channel, which users share, from
 * the hours.
 */
export async function readTopOf(sql: Sql, owner: number, search: Search): Promise<Top[]> {
  const { dimension, from, until, summed, cut, rows } = search;
  const columns = sql`${sql(COLUMNS[dimension])} as key, count, quota, prompt_tokens + completion_tokens as tokens`;
  const { spans, rest } = dimension === "token" ? coverWindow(from, until, summed) : { spans: [], rest: [] };
  const parts = (spans.length > 0 ? rest : [{ from, until }]).map(
    (stretch) => sql`
      select ${columns} from usage_hourly
      where user_id = ${owner} and hour >= ${stretch.from}::bigint and hour < ${stretch.until}::bigint`,
  );
  if (cut) parts.push(sql`select ${columns} from ${cut}`);
  if (spans.length > 0) parts.push(keysOf(sql, owner, spans));
  return sql<Top[]>`
    select key, sum(count)::bigint as count, sum(quota)::bigint as quota, sum(tokens)::bigint as tokens
    from (${parts.reduce((all, part) => sql`${all} union all ${part}`)}) parts
    group by key having sum(count) <> 0 or sum(quota) <> 0 order by 3 desc, 2 desc, 1 limit ${rows}`;
}

/**
 * What was used without a key has the key 0, which all users share: it is looked up in each hour of the spans. `offset 0` keeps the
 * planner from making joins of both, for which it would read whole tables.
 */
function keysOf(sql: Sql, owner: number, spans: readonly Span[]) {
  const [first, last] = [spans[0]?.start ?? 0, spans.at(-1)];
  const end = last ? last.start + last.hours * HOUR : first;
  return sql`
    select key, count, quota, tokens from ${spanRows(sql, spans)} cross join lateral (
      select key, count, quota, tokens from usage_spans
      where dimension = 'token' and hours = given.hours and start = given.start
        and key = any(array(select id from tokens where user_id = ${owner})) offset 0) span
    union all
    select 0, count, quota, tokens from generate_series(${first}::bigint, ${end - HOUR}::bigint, ${HOUR}::bigint) as each (hour)
    cross join lateral (
      select count, quota, prompt_tokens + completion_tokens as tokens from usage_hourly
      where hour = each.hour and user_id = ${owner} and token_id = 0 offset 0) keyless`;
}

/** The same from any rows with the columns of usage_hourly. */
export async function readTopIn(
  sql: Sql,
  hours: MinuteRows,
  { dimension, rows }: Pick<Search, "dimension" | "rows">,
): Promise<Top[]> {
  return sql<Top[]>`
    select ${sql(COLUMNS[dimension])} as key, sum(count)::bigint as count, sum(quota)::bigint as quota,
      sum(prompt_tokens + completion_tokens)::bigint as tokens
    from ${hours} where count <> 0 or quota <> 0
    group by 1 having sum(count) <> 0 or sum(quota) <> 0 order by 3 desc, 2 desc, 1 limit ${rows}`;
}
