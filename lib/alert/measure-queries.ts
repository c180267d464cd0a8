import type { Sql } from "@/db/client";
import { attemptSums } from "@/lib/health/live-sums-queries";
import { summedUntil } from "@/lib/health/rollup-commands";
import { summariseHealth } from "@/lib/health/summarise";
import type { Health, HealthRow } from "@/lib/health/types";
import { logStore } from "@/lib/log-store/store";
import { LOG_TYPE } from "@/lib/row-status";
import { everybodysHours, readSummed } from "@/lib/statistics/sums-queries";
import {
  type LogSpan,
  type RequestSums,
  readChargedOfBoth,
  readRequestsOfBoth,
  type Sum,
  type Watched,
} from "./both-log-queries";
import type { AlertMetric, Measured } from "./types";

const HOUR = 3_600;
/** Limits how much is read from the log when the sums of channels are behind. */
const LIVE_SECONDS_MAX = 6 * HOUR;
/** Error rates and latencies are those of at most so many requests, the latest of the window. */
const SAMPLE = 20_000;

const UNKNOWN: Measured = { value: null, requests: 0 };

/** Measures rules at one moment. The latest attempts at all channels are read once for all rules. */
export function createMeasure(sql: Sql, now: number): (rule: Watched) => Promise<Measured> {
  const live = new Map<number, Promise<HealthRow[]>>();
  const liveSince = (from: number): Promise<HealthRow[]> => {
    const known = live.get(from) ?? readLive(sql, from, now + 1);
    live.set(from, known);
    return known;
  };
  return async (rule) => {
    if (rule.metric === "balance") return readBalance(sql, rule);
    if (rule.metric === "spend") return readSpend(sql, rule, now);
    if (rule.subject !== "channel") return readRequests(sql, rule, now);
    const from = now - rule.windowSeconds;
    const liveFrom = rule.windowSeconds <= HOUR ? from : Math.max(from, await summedUntil(sql), now - LIVE_SECONDS_MAX);
    const [past, latest] = await Promise.all([readPast(sql, rule.subjectId, from, liveFrom), liveSince(liveFrom)]);
    const own = latest.filter(({ channelId }) => channelId === rule.subjectId);
    return ofChannel(rule.metric, summariseHealth([...past, ...own]));
  };
}

function ofChannel(metric: AlertMetric, { requests, failed, p95Ms }: Health): Measured {
  if (requests === 0) return UNKNOWN;
  return { value: metric === "error_rate" ? Math.round((failed / requests) * 10_000) : p95Ms, requests };
}

/** Attempts at a channel in whole hours. */
async function readPast(sql: Sql, channelId: number, from: number, until: number): Promise<HealthRow[]> {
  return sql<HealthRow[]>`
    select channel_id as "channelId", outcome, count, quota, bad_events as "badEvents",
      latency_buckets as "latencyBuckets", first_token_buckets as "firstTokenBuckets"
    from channel_hourly where channel_id = ${channelId} and hour >= ${from} and hour < ${until}`;
}

/** Attempts at all channels from the log. */
async function readLive(sql: Sql, from: number, until: number): Promise<HealthRow[]> {
  const { text, parameters } = await attemptSums(sql, from, until);
  return sql.unsafe<HealthRow[]>(
    `select channel_id as "channelId", outcome, count, quota, bad_events as "badEvents",
      latency_buckets as "latencyBuckets", first_token_buckets as "firstTokenBuckets" from (${text}) live`,
    parameters,
  );
}

/** What callers saw: a request is a failure when none of its attempts gave a whole answer. */
async function readRequests(sql: Sql, rule: Watched, now: number): Promise<Measured> {
  const { metric, windowSeconds } = rule;
  const store = logStore();
  const span = { from: now - windowSeconds, until: now };
  const row =
    store === null
      ? (await requestsIn(sql, rule, span, sql`usage_logs`))[0]
      : await readRequestsOfBoth(store, sql, rule, { ...span, sample: SAMPLE });
  if (!row || row.requests === 0) return UNKNOWN;
  if (metric === "latency") return { value: row.p95, requests: row.answered };
  return { value: Math.round((row.failed / row.requests) * 10_000), requests: row.requests };
}

function requestsIn(sql: Sql, rule: Watched, { from, until }: LogSpan, logs: ReturnType<Sql>) {
  return sql<RequestSums[]>`
    select count(*)::int as requests, count(*) filter (where failed)::int as failed,
      count(*) filter (where not failed)::int as answered,
      percentile_disc(0.95) within group (order by use_time_ms) filter (where not failed) as p95
    from (
      select use_time_ms, type = ${LOG_TYPE.error} or coalesce(other ->> 'outcome', 'ok') in ('cut', 'lost') as failed
      from ${logs}
      where created_at > ${from} and created_at <= ${until}
        and type in (${LOG_TYPE.consume}, ${LOG_TYPE.error}) and not hidden ${conditionOf(sql, rule)}
      order by created_at desc, id desc limit ${SAMPLE}) latest`;
}

/** Keys without a limit have no balance of their own. */
async function readBalance(sql: Sql, { subject, subjectId, userId }: Watched): Promise<Measured> {
  const [row] =
    subject === "key"
      ? await sql<{ value: number }[]>`
          select remain_quota as value from tokens
          where id = ${subjectId} and user_id = ${userId} and deleted_at is null and not unlimited_quota`
      : await sql<{ value: number }[]>`
          select quota as value from users
          where id = ${subject === "account" ? userId : subjectId} and deleted_at is null`;
  // A balance needs no requests to be known.
  return row ? { value: Number(row.value), requests: Number.MAX_SAFE_INTEGER } : UNKNOWN;
}

/** Exactly what was charged in the window: whole hours from the sums, the part of an hour at its start from the log. */
async function readSpend(sql: Sql, rule: Watched, now: number): Promise<Measured> {
  const from = now - rule.windowSeconds;
  const firstHour = Math.ceil(from / HOUR) * HOUR;
  const [edge, hours] = await Promise.all([
    readEdge(sql, rule, from, Math.min(firstHour, now + 1)),
    firstHour > now ? { value: 0, requests: 0 } : readHours(sql, rule, firstHour, now + 1),
  ]);
  return { value: edge.value + hours.value, requests: edge.requests + hours.requests };
}

/** Without the condition on hidden rows: those are charged as well. */
async function readEdge(sql: Sql, rule: Watched, from: number, until: number): Promise<Sum> {
  const store = logStore();
  if (store !== null) return readChargedOfBoth(store, sql, rule, { from, until });
  const [row] = await sql<Sum[]>`
    select coalesce(sum(quota), 0)::bigint as value, count(*)::bigint as requests from usage_logs
    where created_at > ${from} and created_at < ${until} and type = ${LOG_TYPE.consume} ${conditionOf(sql, rule)}`;
  return toSum(row);
}

async function readHours(sql: Sql, rule: Watched, from: number, until: number): Promise<Sum> {
  const { subject, modelName } = rule;
  if (subject === "site" || subject === "model") {
    const summed = await readSummed(sql);
    const [row] = await sql<Sum[]>`
      select coalesce(sum(quota), 0)::bigint as value, coalesce(sum(count), 0)::bigint as requests
      from (${everybodysHours(sql, from, until, summed)}) hours
      ${subject === "model" ? sql`where model_name = ${modelName}` : sql``}`;
    return toSum(row);
  }
  const [row] = await sql<Sum[]>`
    select coalesce(sum(quota), 0)::bigint as value, coalesce(sum(count), 0)::bigint as requests from usage_hourly
    where hour >= ${from} and hour < ${until} ${conditionOf(sql, rule)}`;
  return toSum(row);
}

function conditionOf(sql: Sql, { subject, subjectId, modelName, userId }: Watched) {
  if (subject === "account") return sql`and user_id = ${userId}`;
  if (subject === "key") return sql`and user_id = ${userId} and token_id = ${subjectId}`;
  if (subject === "user") return sql`and user_id = ${subjectId}`;
  if (subject === "channel") return sql`and channel_id = ${subjectId}`;
  return subject === "model" ? sql`and model_name = ${modelName}` : sql``;
}

function toSum(row: Sum | undefined): Sum {
  return { value: Number(row?.value ?? 0), requests: Number(row?.requests ?? 0) };
}
