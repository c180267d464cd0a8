import type { DatabaseHandle } from "@/db/client";
import { reconcile } from "@/lib/billing/reconcile";
import type { Seen } from "../operations/trouble-load";

export type Charge = { id: string; count: number; quota: number };
export type Verdict = { lines: string[]; problems: string[] };

/**
 * Compares what callers saw with what was charged: every whole answer once, at its price; nothing twice; and the books agree. A request that
 * broke off with its gateway may have one charge, for what was delivered.
 */
export async function judge({ sql }: DatabaseHandle, seen: readonly Seen[], rows: readonly Charge[]): Promise<Verdict> {
  const charged = new Map(rows.map((row) => [row.id, row]));
  const whole = seen.filter(({ isWhole }) => isWhole);
  const answered = new Map(whole.map((one) => [one.id, one]));
  const known = new Set(seen.map(({ id }) => id));
  const lost = whole.filter(({ id }) => !charged.has(id));
  const twice = rows.filter(({ count }) => count > 1);
  const wrong = rows.filter(({ id, quota }) => answered.has(id) && answered.get(id)?.price !== quota);
  const broken = rows.filter(({ id }) => !answered.has(id));
  const { differences } = await reconcile(sql);
  return {
    lines: [
      `${whole.length} whole answers, ${seen.length - whole.length} others`,
      `${rows.length} charges, ${broken.length} of them of requests that broke off (${broken.filter(({ id }) => !known.has(id)).length} before their head)`,
      `${lost.length} charges lost, ${twice.length} booked twice, ${wrong.length} wrong; reconcile: ${differences.length} differences`,
    ],
    problems: [
      ...lost.map(({ id, kind }) => `not charged: ${kind} ${id}`),
      ...twice.map(({ id, count }) => `charged ${count} times: ${id}`),
      ...wrong.map(({ id, quota }) => `charged ${quota} instead of ${answered.get(id)?.price}: ${id}`),
      ...differences.map((difference) => `reconcile: ${JSON.stringify(difference)}`),
    ],
  };
}

/** What PostgreSQL's own log says. */
export async function chargesIn({ sql }: DatabaseHandle): Promise<Charge[]> {
  return sql<Charge[]>`
    select request_id as id, count(*)::int as count, sum(quota)::bigint as quota from usage_logs where type = 2 group by 1`;
}
