import type { Sql } from "@/db/client";
import { readBoth } from "@/lib/log-store/both-queries";
import { literal } from "@/lib/log-store/clickhouse/escape";
import type { ReadableStore } from "@/lib/log-store/store";
import { LOG_TYPE } from "@/lib/row-status";
import type { AlertMetric, AlertTarget } from "./types";

/** `userId`: of the account that "account" and "key" belong to. */
export type Watched = AlertTarget & { userId: number; metric: AlertMetric; windowSeconds: number };

export type RequestSums = { requests: number; failed: number; answered: number; p95: number | null };
export type Sum = { value: number; requests: number };
/** Unix seconds; what is included is said where it is used. */
export type LogSpan = { from: number; until: number };

type Request = { at: number; id: number; ms: number; failed: boolean };

/** The latest requests of a rule from both places, `from` excluded. */
export async function readRequestsOfBoth(
  store: ReadableStore,
  sql: Sql,
  rule: Watched,
  { from, until, sample }: LogSpan & { sample: number },
): Promise<RequestSums> {
  const condition = `created_at > ${whole(from)} and created_at <= ${whole(until)}
    and type in (${LOG_TYPE.consume}, ${LOG_TYPE.error}) ${conditionOf(rule)}`;
  const latest = `order by created_at desc, id desc limit ${sample}`;
  const rows = await readBoth(
    store,
    sql,
    async ({ connection, here, stored }) => {
      const [inPostgres, inStore] = await Promise.all([
        connection.unsafe<Request[]>(
          `select created_at as at, id, use_time_ms as ms,
            type = ${LOG_TYPE.error} or coalesce(other ->> 'outcome', 'ok') in ('cut', 'lost') as failed
          from ${here} logs where not hidden and ${condition.replace(MODEL, "$1")} ${latest}`,
          modelOf(rule),
        ),
        stored.query<Record<keyof Request, string | number>>(
          `select created_at as at, id, use_time_ms as ms,
            type = ${LOG_TYPE.error} or outcome in ('cut', 'lost') as failed
          from ${stored.shown} and ${condition.replace(MODEL, () => literal(rule.modelName))} ${latest}`,
        ),
      ]);
      const others = inStore.map(({ at, id, ms, failed }) => {
        return { at: Number(at), id: Number(id), ms: Number(ms), failed: Number(failed) === 1 };
      });
      return [...inPostgres, ...others];
    },
    from,
  );
  return summarise(rows.sort((a, b) => b.at - a.at || b.id - a.id).slice(0, sample));
}

function summarise(rows: readonly Request[]): RequestSums {
  const times = rows.flatMap(({ failed, ms }) => (failed ? [] : [ms])).sort((a, b) => a - b);
  // The value that at least 95 % do not exceed, as percentile_disc has it.
  const p95 = times[Math.max(0, Math.ceil(times.length * 0.95) - 1)] ?? null;
  return { requests: rows.length, failed: rows.length - times.length, answered: times.length, p95 };
}

/** What requests of a rule were charged in both places, both ends excluded. */
export function readChargedOfBoth(
  store: ReadableStore,
  sql: Sql,
  rule: Watched,
  { from, until }: LogSpan,
): Promise<Sum> {
  const condition = `created_at > ${whole(from)} and created_at < ${whole(until)} and type = ${LOG_TYPE.consume} ${conditionOf(rule)}`;
  return readBoth(
    store,
    sql,
    async ({ connection, here, stored }) => {
      const [[inPostgres], [inStore]] = await Promise.all([
        connection.unsafe<Sum[]>(
          `select coalesce(sum(quota), 0)::bigint as value, count(*)::bigint as requests
          from ${here} logs where ${condition.replace(MODEL, "$1")}`,
          modelOf(rule),
        ),
        stored.query<Record<keyof Sum, string>>(
          `select sum(quota) as value, count() as requests
          from ${stored.rows} and ${condition.replace(MODEL, () => literal(rule.modelName))}`,
        ),
      ]);
      return {
        value: Number(inPostgres?.value ?? 0) + Number(inStore?.value ?? 0),
        requests: Number(inPostgres?.requests ?? 0) + Number(inStore?.requests ?? 0),
      };
    },
    from,
  );
}

/** Where the name of the model goes, which is the only text. */
const MODEL = ":model";

function conditionOf({ subject, subjectId, userId }: Watched): string {
  if (subject === "account") return `and user_id = ${whole(userId)}`;
  if (subject === "key") return `and user_id = ${whole(userId)} and token_id = ${whole(subjectId)}`;
  if (subject === "user") return `and user_id = ${whole(subjectId)}`;
  if (subject === "channel") return `and channel_id = ${whole(subjectId)}`;
  return subject === "model" ? `and model_name = ${MODEL}` : "";
}

function modelOf({ subject, modelName }: Watched): string[] {
  return subject === "model" ? [modelName] : [];
}

function whole(value: number): string {
  return literal(Math.floor(value));
}
