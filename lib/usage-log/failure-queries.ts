import { and, desc, inArray, sql } from "drizzle-orm";
import { channels, usageLogs } from "@/db/schema";
import type { ServiceContext } from "@/lib/context";
import type { FailureGroup, FailureGroups } from "./failure-types";
import { IS_FAILURE, sightOf, visible } from "./queries";
import type { LogSearch } from "./schemas";

/** The newest failed requests that are grouped at most. */
export const GROUPED_MAX = 100_000;
const GROUPS_MAX = 50;

/**
 * The failed requests of a search by cause, model and (for administrators) channel, the most frequent first. Reads the index of
 * failed requests alone. Ignores the search's paging.
 */
export async function listFailureGroups(ctx: ServiceContext, input: LogSearch = {}): Promise<FailureGroups> {
  const sight = await sightOf(ctx, input);
  const { full } = sight;
  const channelId = full ? sql<number>`${usageLogs.channelId}` : sql<number>`0`;
  const newest = ctx.db
    .select({
      createdAt: usageLogs.createdAt,
      code: usageLogs.errorCode,
      cause: usageLogs.errorCause,
      status: usageLogs.statusCode,
      channelId: channelId.as("channel"),
      model: usageLogs.modelName,
      userId: usageLogs.userId,
      repeats: usageLogs.repeats,
    })
    .from(usageLogs)
    .where(and(visible(sight), IS_FAILURE))
    .orderBy(desc(usageLogs.createdAt), desc(usageLogs.id))
    .limit(GROUPED_MAX)
    .as("newest");
  const count = sql<number>`sum(1 + ${newest.repeats})::bigint`.mapWith(Number);
  const rows = await ctx.db
    .select({
      code: newest.code,
      cause: newest.cause,
      status: sql<number>`${newest.status}`,
      channelId: newest.channelId,
      model: newest.model,
      count,
      rows: sql<number>`count(*)::int`,
      users: sql<number>`count(distinct ${newest.userId})::int`,
      firstAt: sql<number>`min(${newest.createdAt})`.mapWith(Number),
      lastAt: sql<number>`max(${newest.createdAt})`.mapWith(Number),
      read: sql<number>`(sum(count(*)) over ())::int`,
    })
    .from(newest)
    .groupBy(newest.code, newest.cause, newest.status, newest.channelId, newest.model)
    .orderBy(desc(count), desc(sql`max(${newest.createdAt})`))
    .limit(GROUPS_MAX + 1);
  const names = await channelNames(ctx, full ? rows.map((row) => row.channelId) : []);
  const groups = rows.slice(0, GROUPS_MAX).map(({ rows: _, read: __, users, channelId: id, ...row }): FailureGroup => {
    return full ? { ...row, users, channelId: id, channelName: names.get(id) ?? "" } : row;
  });
  return { groups, isPart: rows.length > GROUPS_MAX || (rows[0]?.read ?? 0) >= GROUPED_MAX };
}

async function channelNames({ db }: ServiceContext, ids: readonly number[]): Promise<Map<number, string>> {
  const wanted = [...new Set(ids)].filter((id) => id > 0);
  if (wanted.length === 0) return new Map();
  const rows = await db
    .select({ id: channels.id, name: channels.name })
    .from(channels)
    .where(inArray(channels.id, wanted));
  return new Map(rows.map(({ id, name }) => [id, name]));
}
