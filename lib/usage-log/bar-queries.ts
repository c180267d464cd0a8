import { and, eq, gte, lte, type SQL } from "drizzle-orm";
import { usageLogs } from "@/db/schema";
import { nowSeconds } from "@/lib/clock";
import type { ServiceContext } from "@/lib/context";
import { LOG_TYPE } from "@/lib/row-status";
import type { LogBars } from "./failure-types";
import { filter, filtersInForce, IS_FAILURE, isOfFailures, knownOf, type Sight, sightOf } from "./queries";
import type { LogSearch } from "./schemas";
import { logSource } from "./source";

import { hoursOf } from "./sum-queries";

const HOUR = 3_600;
const DAY = 24 * HOUR;
const BARS_MAX = 61;
const STEPS = [60, 300, 900, 1_800, HOUR, 2 * HOUR, 3 * HOUR, 6 * HOUR, 12 * HOUR, DAY, 7 * DAY, 30 * DAY];

type Counts = Map<number, number>;
type Span = { start: number; end: number; step: number };

/**
 * Requests and errors over the time of a search, in at most 63 bars of equal length. Whole hours come from the hourly sums where these
 * know the search's filters, and errors from the index of failed requests. Null = the search has no start, or asks for no requests.
 */
export async function countByTime(ctx: ServiceContext, input: LogSearch = {}): Promise<LogBars | null> {
  const sight = await sightOf(ctx, input);
  const span = spanOf(sight);
  if (!span) return null;
  const { type } = sight.search;
  if (![0, LOG_TYPE.consume, LOG_TYPE.error].includes(type)) return null;
  const onlyFailures = type === LOG_TYPE.error || filtersInForce(sight).some(isOfFailures);
  const [requests, errors] = await Promise.all([
    onlyFailures ? (new Map() as Counts) : countRequests(ctx, sight, span),
    type === LOG_TYPE.consume ? (new Map() as Counts) : countErrors(ctx, sight, span),
  ]);
  const { start, end, step } = span;
  const bars = [];
  for (let at = start - (start % step); at <= end; at += step) {
    bars.push({ start: at, requests: requests.get(at) ?? 0, errors: errors.get(at) ?? 0 });
  }
  return { start, end, stepSeconds: step, bars };
}

function spanOf({ search, since }: Sight): Span | null {
  const start = Math.max(search.startTimestamp ?? 0, since ?? 0);
  const now = nowSeconds();
  const end = Math.min(search.endTimestamp || now, now);
  if (start === 0 || end < start || search.requestId !== "") return null;
  const step = STEPS.find((seconds) => (end - start) / seconds <= BARS_MAX) ?? 365 * DAY;
  return { start, end, step };
}

async function countErrors(ctx: ServiceContext, sight: Sight, { start, end, step }: Span): Promise<Counts> {
  const where = and(IS_FAILURE, between(start, end), filter(sight));
  return counted(
    await logSource(ctx).countByTime({ where, ...shown(sight), from: start, until: end }, step, "requests"),
  );
}

async function countRequests(ctx: ServiceContext, sight: Sight, span: Span): Promise<Counts> {
  const { start, end, step } = span;
  const first = Math.ceil(start / HOUR) * HOUR;
  const after = Math.floor((end + 1) / HOUR) * HOUR;
  const isKept = step % HOUR === 0 && filtersInForce(sight).every(({ sums }) => sums !== undefined);
  if (!isKept || after <= first) return countRows(ctx, sight, span);
  const parts = await Promise.all([
    countHours(ctx, sight, { start: first, end: after, step }),
    first > start ? countRows(ctx, sight, { start, end: first - 1, step }) : [],
    after <= end ? countRows(ctx, sight, { start: after, end, step }) : [],
  ]);
  return counted(parts.flatMap((part) => [...part].map(([at, count]) => ({ at, count }))));
}

/** `end` is not included. */
async function countHours(ctx: ServiceContext, sight: Sight, { start, end, step }: Span): Promise<Counts> {
  const { hours, where } = await hoursOf(ctx, sight, start, end);
  return counted(
    await ctx.sql<{ at: number; count: number }[]>`
      select (hour - hour % ${step}::bigint)::bigint as at, sum(count)::bigint as count from (${hours}) parts ${where} group by 1`,
  );
}

async function countRows(ctx: ServiceContext, sight: Sight, { start, end, step }: Span): Promise<Counts> {
  const where = and(eq(usageLogs.type, LOG_TYPE.consume), between(start, end), filter(sight));
  return counted(await logSource(ctx).countByTime({ where, ...shown(sight), from: start, until: end }, step, "rows"));
}

function shown(sight: Sight) {
  return { isShown: true, ...knownOf(sight) };
}

function between(start: number, end: number): SQL | undefined {
  return and(gte(usageLogs.createdAt, start), lte(usageLogs.createdAt, end));
}

function counted(rows: readonly { at: number; count: number }[]): Counts {
  const counts: Counts = new Map();
  for (const { at, count } of rows) counts.set(Number(at), (counts.get(Number(at)) ?? 0) + Number(count));
  return counts;
}
