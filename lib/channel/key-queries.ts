import { asc, eq, inArray, sql } from "drizzle-orm";
import { channelKeys } from "@/db/schema";
import { ROLE, requireRole, type ServiceContext } from "@/lib/context";
import type { ChannelKey, KeyCount } from "./types";

/** The keys of a channel with several, oldest first, without the key text; empty for a channel with a single key. */
export async function listChannelKeys(ctx: ServiceContext, channelId: number): Promise<ChannelKey[]> {
  requireRole(ctx, ROLE.admin);
  return ctx.db
    .select({
      id: channelKeys.id,
      fingerprint: channelKeys.fingerprint,
      status: channelKeys.status,
      reason: channelKeys.reason,
      statusTime: channelKeys.statusTime,
      createdTime: channelKeys.createdTime,
    })
    .from(channelKeys)
    .where(eq(channelKeys.channelId, channelId))
    .orderBy(asc(channelKeys.id));
}

/** Number of keys and of enabled keys per channel; channels with a single key are left out. */
export async function countChannelKeys(ctx: ServiceContext, channelIds: number[]): Promise<Map<number, KeyCount>> {
  requireRole(ctx, ROLE.admin);
  if (channelIds.length === 0) return new Map();
  const rows = await ctx.db
    .select({
      channelId: channelKeys.channelId,
      total: sql<number>`count(*)::int`,
      inUse: sql<number>`(count(*) filter (where ${channelKeys.status} = 1))::int`,
    })
    .from(channelKeys)
    .where(inArray(channelKeys.channelId, channelIds))
    .groupBy(channelKeys.channelId);
  return new Map(rows.map(({ channelId, ...counts }) => [channelId, counts]));
}
