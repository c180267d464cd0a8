import type { Sql } from "@/db/client";
import { LOGS_CLEARED } from "@/lib/log-store/cleared";
import { logStore } from "@/lib/log-store/store";
import { chargedAttempts, loggedCharges, loggedCosts } from "./logged-hours-queries";
import type { Difference, Reconciliation } from "./reconcile";

const HOUR = 3_600;
/** Longest stretch in one statement: each is its own snapshot, so that vacuum never waits for the whole check. */
const HOURS_PER_STATEMENT = 24;
/** An hour is compared this long after its end. Charges booked later come with their log, so they change nothing. */
const SETTLED_AFTER_SECONDS = 600;

/** From inclusive, until exclusive; whole hours in unix seconds. */
export type HourRange = { from: number; until: number };

/** The hours that can be compared: finished, and with all of their log still there. */
export async function readComparableHours(sql: Sql): Promise<HourRange> {
  const [row] = await sql<{ from: number; until: number }[]>`
    select greatest(
        coalesce((select min(hour) from usage_hourly), 0),
        coalesce((select ceil(position / ${HOUR}::numeric) * ${HOUR} from job_positions where job = ${LOGS_CLEARED}), 0)
      )::bigint as from,
      (floor((extract(epoch from now()) - ${SETTLED_AFTER_SECONDS}) / ${HOUR}) * ${HOUR})::bigint as until`;
  if (!row || row.from === 0) return { from: 0, until: 0 };
  return { from: row.from, until: Math.max(row.from, row.until) };
}

/**
 * Compares the usage log with the hourly sums, by hour, user, token and channel, in what was charged and in what it cost,
 * and each charge with its attempts: what was charged was delivered, once, by the channel that the log names. The log says
 * so where there was more than one.
 */
export async function reconcileHours(sql: Sql, ranges: readonly HourRange[]): Promise<Reconciliation> {
  const checked = { "usage_logs.quota": 0, "usage_logs.cost": 0, "usage_logs.attempts": 0 };
  const found: Reconciliation = { checked, differences: [] };
  for (const range of ranges) {
    const seconds = (logStore() === null ? HOURS_PER_STATEMENT : 1) * HOUR;
    for (let from = range.from; from < range.until; from += seconds) {
      const part = { from, until: Math.min(range.until, from + seconds) };
      for (const [check, { rows, differences }] of Object.entries({
        "usage_logs.quota": await compareSums(sql, part),
        "usage_logs.cost": await compareCosts(sql, part),
        "usage_logs.attempts": await compareAttempts(sql, part),
      })) {
        found.checked[check] = (found.checked[check] ?? 0) + rows;
        found.differences.push(...differences.map((difference) => ({ check, ...difference })));
      }
    }
  }
  return found;
}

type Compared = { rows: number; differences: Omit<Difference, "check">[] };
type ComparedRow = { id: number | null; stored: number; computed: number; detail: string; rows: number };

/** The number of compared rows comes with every row, also where none differs. */
function toCompared(rows: readonly ComparedRow[]): Compared {
  return {
    rows: rows[0]?.rows ?? 0,
    differences: rows.flatMap(({ id, stored, computed, detail }) =>
      id === null ? [] : [{ id, stored, computed, detail }],
    ),
  };
}

async function compareSums(sql: Sql, part: HourRange): Promise<Compared> {
  const { from, until } = part;
  const { logged } = await loggedCharges(sql, part);
  return toCompared(
    await sql<ComparedRow[]>`
      with logged as (${logged}),
      metered as (
        select hour, user_id, token_id, channel_id, sum(quota)::bigint as quota, sum(count)::bigint as count
        from usage_hourly where hour >= ${from} and hour < ${until} group by 1, 2, 3, 4),
      compared as (
        select hour as id, coalesce(metered.quota, 0) as stored, coalesce(logged.quota, 0) as computed,
          coalesce(metered.count, 0) as stored_count, coalesce(logged.count, 0) as computed_count,
          format('user %s, token %s, channel %s', user_id, token_id, channel_id) as detail
        from metered full join logged using (hour, user_id, token_id, channel_id))
      select differing.id, differing.stored, differing.computed,
        format('%s, requests %s/%s', detail, stored_count, computed_count) as detail, total.rows
      from (select count(*) as rows from compared) as total
      left join compared as differing on stored <> computed or stored_count <> computed_count
      order by differing.id`,
  );
}

/**
 * Costs, those for which nobody is charged, and the number of unknown ones. Failed requests have costs too, and no other
 * sum. Rows of a version that knew no costs count one unknown cost a request, on both sides.
 */
async function compareCosts(sql: Sql, part: HourRange): Promise<Compared> {
  const { from, until } = part;
  const { logged } = await loggedCosts(sql, part);
  return toCompared(
    await sql<ComparedRow[]>`
      with logged as (${logged}),
      metered as (
        select hour, user_id, token_id, channel_id, sum(cost)::bigint as cost, sum(unbilled_cost)::bigint as unbilled,
          sum(coalesce(unknown_costs, count))::bigint as unknown
        from usage_hourly where hour >= ${from} and hour < ${until} group by 1, 2, 3, 4),
      compared as (
        select hour as id, coalesce(metered.cost, 0) as stored, coalesce(logged.cost, 0) as computed,
          coalesce(metered.unbilled, 0) as stored_unbilled, coalesce(logged.unbilled, 0) as computed_unbilled,
          coalesce(metered.unknown, 0) as stored_unknown, coalesce(logged.unknown, 0) as computed_unknown,
          format('user %s, token %s, channel %s', user_id, token_id, channel_id) as detail
        from metered full join logged using (hour, user_id, token_id, channel_id))
      select differing.id, differing.stored, differing.computed,
        format('%s, unbilled %s/%s, unknown %s/%s', detail, stored_unbilled, computed_unbilled, stored_unknown,
          computed_unknown) as detail, total.rows
      from (select count(*) as rows from compared) as total
      left join compared as differing on stored <> computed or stored_unbilled <> computed_unbilled
        or stored_unknown <> computed_unknown
      order by differing.id`,
  );
}

/** `stored` is how many attempts delivered on the log's channel, 1 expected. */
async function compareAttempts(sql: Sql, part: HourRange): Promise<Compared> {
  const { charged } = await chargedAttempts(sql, part);
  return toCompared(
    await sql<ComparedRow[]>`
      with charged as (${charged})
      select differing.id, differing.delivered_here as stored, 1::bigint as computed,
        format('request %s, delivered %s', request_id, delivered) as detail, total.rows
      from (select coalesce(sum(alike), 0)::bigint as rows from charged) as total
      left join charged as differing on delivered <> 1 or delivered_here <> 1
      order by differing.id`,
  );
}
