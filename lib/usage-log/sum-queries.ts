import { and, eq, gte, lte } from "drizzle-orm";
import { usageLogs } from "@/db/schema";
import { nowSeconds } from "@/lib/clock";
import type { ServiceContext } from "@/lib/context";
import { LOG_TYPE } from "@/lib/row-status";
import { everybodysHours, hoursOfUser, readSummed } from "@/lib/statistics/sums-queries";
import type { UsageSum } from "./columns";
import { filter, filtersInForce, isOfFailures, knownOf, modelPattern, type Sight, sightOf } from "./queries";
import type { LogSearch } from "./schemas";
import { logSource } from "./source";
import type { Asked } from "./source-types";

const HOUR = 3_600;
const LOAD_SECONDS = 60;

/**
 * The quota charged in the window, and requests and tokens of the last minute, with the same filters. Whole hours come
 * from the hourly sums: they are fast to read, survive clearing the log, and include charges made while logging was
 * off. Filters that the sums do not support (token names, request ids) are computed from the log.
 */
export async function sumLogs(ctx: ServiceContext, input: LogSearch = {}): Promise<UsageSum> {
  const sight = await sightOf(ctx, input);
  // Failed requests are found by an index of what is listed; those that are not cost nothing.
  const isShown = filtersInForce(sight).some(isOfFailures);
  const where = and(filter(sight), eq(usageLogs.type, LOG_TYPE.consume));
  const asked = { where, isShown, ...knownOf(sight) };
  const since = nowSeconds() - LOAD_SECONDS;
  const [quota, recent] = await Promise.all([
    sumQuota(ctx, sight, asked),
    logSource(ctx).sum({ ...asked, where: and(gte(usageLogs.createdAt, since), asked.where), from: since }),
  ]);
  return { quota, rpm: recent.count, tpm: recent.tokens };
}

async function sumQuota(ctx: ServiceContext, sight: Sight, asked: Asked): Promise<number> {
  const { search, since } = sight;
  if (search.type !== 0 && search.type !== LOG_TYPE.consume) return 0;
  const start = Math.max(search.startTimestamp ?? 0, since ?? 0);
  const { endTimestamp = 0 } = search;
  // An end that is not over yet leaves nothing out, and the hours need not be cut at it.
  const end = endTimestamp === 0 || endTimestamp >= nowSeconds() ? null : endTimestamp;
  const firstHour = Math.ceil(start / HOUR) * HOUR;
  // The end is inclusive.
  const afterHours = end === null ? null : Math.floor((end + 1) / HOUR) * HOUR;
  const isKept = filtersInForce(sight).every(({ sums }) => sums !== undefined);
  const isRaw = !isKept || (afterHours !== null && afterHours <= firstHour);
  if (isRaw) return sumRaw(ctx, asked, start, end);
  const parts = await Promise.all([
    sumHours(ctx, sight, firstHour, afterHours),
    firstHour > start ? sumRaw(ctx, asked, start, firstHour - 1) : 0,
    end !== null && afterHours !== null && afterHours <= end ? sumRaw(ctx, asked, afterHours, end) : 0,
  ]);
  return parts.reduce((total, part) => total + part, 0);
}

async function sumRaw(ctx: ServiceContext, asked: Asked, start: number, end: number | null): Promise<number> {
  const span = [
    start === 0 ? undefined : gte(usageLogs.createdAt, start),
    end === null ? undefined : lte(usageLogs.createdAt, end),
  ];
  const { quota } = await logSource(ctx).sum({
    ...asked,
    where: and(...span, asked.where),
    from: start,
    ...(end === null ? {} : { until: end }),
  });
  return quota;
}

async function sumHours(ctx: ServiceContext, sight: Sight, first: number, after: number | null): Promise<number> {
  const { hours, where } = await hoursOf(ctx, sight, first, after);
  const [row] = await ctx.sql<{ quota: number }[]>`
    select coalesce(sum(quota), 0)::bigint as quota from (${hours}) parts ${where}`;
  return row?.quota ?? 0;
}

/**
 * The hourly sums of a search and the condition on them, as SQL fragments: by model and group from the precomputed sums of all users or
 * of one; by channel from usage_hourly by index.
 */
export async function hoursOf(ctx: ServiceContext, sight: Sight, first: number, after: number | null) {
  const { sql } = ctx;
  const { search, owner } = sight;
  // A name is that of the owner.
  const inForce = filtersInForce(sight).filter(({ field }) => field !== "type" && field !== "username");
  const until = after ?? Number.MAX_SAFE_INTEGER;
  const summed = inForce.every(({ sums }) => sums === "everybody") ? await readSummed(sql) : null;
  const hours = () => {
    if (summed === null) {
      const ofOwner = owner === null ? sql`` : sql`and user_id = ${owner}`;
      return sql`select * from usage_hourly where hour >= ${first}::bigint and hour < ${until}::bigint ${ofOwner}`;
    }
    return owner === null ? everybodysHours(sql, first, until, summed) : hoursOfUser(sql, owner, first, until, summed);
  };
  const conditions = inForce.map(({ field, input }) => {
    const column = sql(usageLogs[field].name);
    const value = search[field] ?? "";
    return input === "pattern" ? sql`and ${column} like ${modelPattern(String(value))}` : sql`and ${column} = ${value}`;
  });
  // postgres.js would treat an empty array of fragments as a parameter.
  const where = conditions.reduce((all, condition) => sql`${all} ${condition}`, sql`where true`);
  return { hours: hours(), where };
}
