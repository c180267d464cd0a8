import type { Sql } from "@/db/client";
import { type Difference, reconcile } from "@/lib/billing/reconcile";
import { HOUR_CHECKS, type HourRange, readComparableHours, reconcileHours } from "@/lib/billing/reconcile-hours";
import { sealLedger } from "@/lib/billing/seal-ledger-commands";
import { notifyRoots } from "@/lib/notify/notify-commands";

const HOUR = 3_600;
const DAY = 24 * HOUR;
/** The check runs once after this hour of the day (UTC), when there is little traffic in most places. */
const DUE_AT_SECONDS = 3 * HOUR;
/** The first check looks back this far; older hours are only sampled. */
const LOOK_BACK_SECONDS = 31 * DAY;
const SAMPLES = 24;
const RUNS_KEPT = 60;
const DIFFERENCES_KEPT = 100;
/** Name in job_positions: hours before it have been compared. */
const HOURS_JOB = "books-hours";

/** Whether no check has begun since it was last due. */
export async function isCheckDue(sql: Sql): Promise<boolean> {
  const [row] = await sql<{ due: boolean }[]>`
    select coalesce(max(started_at), 0) <
      floor((extract(epoch from now()) - ${DUE_AT_SECONDS}) / ${DAY}) * ${DAY} + ${DUE_AT_SECONDS} as due
    from reconcile_runs`;
  return row?.due ?? true;
}

/**
 * Checks the books: all balances and events, the hours since the last check, those that differed then, and a sample of
 * older ones. Seals the entries of the ledger that the check before has seen. Stores the result and alerts root of differences. Returns them.
 */
export async function checkBooks(sql: Sql): Promise<Difference[]> {
  const [start] = await sql<{ now: number }[]>`select floor(extract(epoch from now()))::bigint as now`;
  const balances = await reconcile(sql);
  const { ranges, until } = await pickHours(sql);
  const hours = await reconcileHours(sql, ranges);
  const checked = { ...balances.checked, ...hours.checked };
  const differences = [...balances.differences, ...hours.differences];
  await sql.begin(async (tx) => {
    const [run] = await tx<{ id: number }[]>`
      insert into reconcile_runs (started_at, checked, differences, difference_count)
      values (${start?.now ?? 0}, ${JSON.stringify(checked)}::text::jsonb,
        ${JSON.stringify(differences.slice(0, DIFFERENCES_KEPT))}::text::jsonb, ${differences.length})
      returning id`;
    await tx`delete from reconcile_runs where id <= ${(run?.id ?? 0) - RUNS_KEPT}`;
    await tx`
      insert into job_positions (job, position) values (${HOURS_JOB}, ${until})
      on conflict (job) do update set position = excluded.position, updated_at = floor(extract(epoch from now()))::bigint`;
    await sealLedger(tx);
    const [first] = differences;
    if (first) {
      const params = { count: differences.length, check: first.check };
      await notifyRoots(tx as unknown as Sql, { event: "books_differ", params, dedupeKey: `books:${run?.id ?? 0}` });
    }
  });
  return differences;
}

async function pickHours(sql: Sql): Promise<{ ranges: HourRange[]; until: number }> {
  const { from: kept, until } = await readComparableHours(sql);
  const [row] = await sql<{ position: number | null; differing: number[] }[]>`
    select (select position from job_positions where job = ${HOURS_JOB}) as position,
      coalesce((
        select array_agg(distinct coalesce(difference->>'hour', difference->>'id')::bigint) from (
          select differences from reconcile_runs order by id desc limit 1) as last,
          jsonb_array_elements(last.differences) as difference
        where difference->>'check' = any(${[...HOUR_CHECKS]}) or difference ? 'hour'), '{}') as differing`;
  const since = Math.min(until, Math.max(kept, row?.position ?? until - LOOK_BACK_SECONDS));
  const from = since - (since % HOUR);
  const again = (row?.differing ?? []).map(Number).filter((hour) => hour >= kept && hour < from);
  const samples = pickSamples({ from: kept, until: from });
  const single = [...new Set([...again, ...samples])].map((hour) => ({ from: hour, until: hour + HOUR }));
  return { ranges: [...single, { from, until }], until };
}

function pickSamples({ from, until }: HourRange): number[] {
  const hours = Math.floor((until - from) / HOUR);
  if (hours <= 0) return [];
  return Array.from({ length: Math.min(SAMPLES, hours) }, () => from + Math.floor(Math.random() * hours) * HOUR);
}
