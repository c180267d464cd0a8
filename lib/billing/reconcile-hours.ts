import type { Sql } from "@/db/client";
import { LOGS_CLEARED } from "@/lib/log-store/cleared";
import { logStore } from "@/lib/log-store/store";
import { judgedCharges } from "./judged-charges-queries";
import { chargedAttempts, chargedRows, loggedSums } from "./logged-hours-queries";
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
    with cleared as (
      select coalesce(max(ceil(position / ${HOUR}::numeric) * ${HOUR}), 0)::bigint as at
      from job_positions where job = ${LOGS_CLEARED})
    select coalesce((select min(hour) from usage_hourly where hour >= cleared.at), 0)::bigint as from,
      (floor((extract(epoch from now()) - ${SETTLED_AFTER_SECONDS}) / ${HOUR}) * ${HOUR})::bigint as until
    from cleared`;
  if (!row || row.from === 0) return { from: 0, until: 0 };
  return { from: row.from, until: Math.max(row.from, row.until) };
}

/** Checks whose differences name an hour. */
export const HOUR_CHECKS = ["usage_logs.quota", "usage_logs.tokens", "usage_logs.hidden", "usage_logs.cost"] as const;

/**
 * Compares the usage log with the hourly sums, by hour, user, token, channel, model and group: requests, quota, tokens, hidden
 * rows and costs. Computes each charge anew from its row. Compares it with its attempts, too: what was charged was delivered,
 * once, by the channel that the log names. The log says so where there was more than one.
 */
export async function reconcileHours(sql: Sql, ranges: readonly HourRange[]): Promise<Reconciliation> {
  const names = [...HOUR_CHECKS, "usage_logs.attempts", "usage_logs.lines"];
  const checked: Record<string, number> = Object.fromEntries(names.map((name) => [name, 0]));
  const found: Reconciliation = { checked, differences: [] };
  for (const range of ranges) {
    const seconds = (logStore() === null ? HOURS_PER_STATEMENT : 1) * HOUR;
    for (let from = range.from; from < range.until; from += seconds) {
      const part = { from, until: Math.min(range.until, from + seconds) };
      for (const [check, { rows, differences }] of Object.entries({
        ...(await compareSums(sql, part)),
        "usage_logs.attempts": await compareAttempts(sql, part),
        "usage_logs.lines": await computeCharges(sql, part),
      })) {
        checked[check] = (checked[check] ?? 0) + rows;
        found.differences.push(...differences.map((difference) => ({ check, ...difference })));
      }
    }
  }
  return found;
}

type Compared = { rows: number; differences: Omit<Difference, "check">[] };
type ComparedRow = { id: number | null; stored: number; computed: number; detail: string; rows: number; hour?: number };

/** The number of compared rows comes with every row, also where none differs. */
function toCompared(rows: readonly ComparedRow[]): Compared {
  return {
    rows: rows[0]?.rows ?? 0,
    differences: rows.flatMap(({ id, stored, computed, detail, hour }) =>
      id === null ? [] : [{ id, stored, computed, detail, ...(hour === undefined ? {} : { hour }) }],
    ),
  };
}

type SumsRow = { id: number; place: string; rows: number } & Record<`${"stored" | "computed"}_${SumName}`, number>;
type SumName = "quota" | "count" | "prompt" | "completion" | "hidden" | "cost" | "unbilled" | "unknown";

/** Sums of an hour that belong together: `main` is what a difference shows, the others are in its detail. */
const SUMS: Record<(typeof HOUR_CHECKS)[number], { main: SumName; others: readonly SumName[] }> = {
  "usage_logs.quota": { main: "quota", others: ["count"] },
  "usage_logs.tokens": { main: "prompt", others: ["completion"] },
  "usage_logs.hidden": { main: "hidden", others: [] },
  "usage_logs.cost": { main: "cost", others: ["unbilled", "unknown"] },
};

/**
 * Failed requests have costs, and no other sum. Rows of a version that knew no costs count one unknown cost a request, on both
 * sides; hours of one that did not count hidden rows have no number of them.
 */
async function compareSums(sql: Sql, part: HourRange): Promise<Record<string, Compared>> {
  const { from, until } = part;
  const { logged } = await loggedSums(sql, part);
  const rows = await sql<(SumsRow | { id: null; rows: number })[]>`
    with logged as (${logged}),
    metered as (
      select hour, user_id, token_id, channel_id, model_name, "group", quota, count, prompt_tokens as prompt,
        completion_tokens as completion, hidden_count as hidden, cost, unbilled_cost as unbilled,
        coalesce(unknown_costs, count) as unknown
      from usage_hourly where hour >= ${from} and hour < ${until}),
    compared as (
      select hour as id, format('user %s, token %s, channel %s, model %s, group %s', user_id, token_id, channel_id, model_name,
          "group") as place,
        coalesce(metered.quota, 0) as stored_quota, coalesce(logged.quota, 0) as computed_quota,
        coalesce(metered.count, 0) as stored_count, coalesce(logged.count, 0) as computed_count,
        coalesce(metered.prompt, 0) as stored_prompt, coalesce(logged.prompt, 0) as computed_prompt,
        coalesce(metered.completion, 0) as stored_completion, coalesce(logged.completion, 0) as computed_completion,
        coalesce(metered.hidden, logged.hidden, 0) as stored_hidden,
        coalesce(logged.hidden, 0) as computed_hidden,
        coalesce(metered.cost, 0) as stored_cost, coalesce(logged.cost, 0) as computed_cost,
        coalesce(metered.unbilled, 0) as stored_unbilled, coalesce(logged.unbilled, 0) as computed_unbilled,
        coalesce(metered.unknown, 0) as stored_unknown, coalesce(logged.unknown, 0) as computed_unknown
      from metered full join logged using (hour, user_id, token_id, channel_id, model_name, "group"))
    select differing.*, total.rows from (select count(*) as rows from compared) as total
    left join compared as differing on
      (stored_quota, stored_count, stored_prompt, stored_completion, stored_hidden, stored_cost, stored_unbilled, stored_unknown)
      <> (computed_quota, computed_count, computed_prompt, computed_completion, computed_hidden, computed_cost,
        computed_unbilled, computed_unknown)
    order by differing.id, differing.place`;
  const differing = rows.filter((row): row is SumsRow => row.id !== null);
  const compared = HOUR_CHECKS.map((check) => {
    const { main, others } = SUMS[check];
    const wrong = differing.filter((row) =>
      [main, ...others].some((name) => row[`stored_${name}`] !== row[`computed_${name}`]),
    );
    const differences = wrong.map((row) => ({
      id: row.id,
      stored: row[`stored_${main}`],
      computed: row[`computed_${main}`],
      detail: [row.place, ...others.map((name) => `${name} ${row[`stored_${name}`]}/${row[`computed_${name}`]}`)].join(
        ", ",
      ),
    }));
    return [check, { rows: rows[0]?.rows ?? 0, differences }] as const;
  });
  return Object.fromEntries(compared);
}

/** The charge of each row as its lines, ratios and tokens have it; `computed` is what the lines add up to. */
async function computeCharges(sql: Sql, part: HourRange): Promise<Compared> {
  const { charged } = await chargedRows(sql, part);
  return toCompared(
    await sql<ComparedRow[]>`
      with judged as (${judgedCharges(sql, charged)})
      select differing.id, differing.quota as stored, differing.total::bigint as computed,
        format('request %s: %s', request, fault) as detail, differing.at - differing.at % ${HOUR} as hour, total.rows
      from (select count(*) as rows from judged) as total
      left join judged as differing on fault is not null
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
