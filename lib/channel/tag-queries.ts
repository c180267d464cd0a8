import { inArray, type SQL, sql } from "drizzle-orm";
import { channels } from "@/db/schema";
import { ROLE, requireRole, type ServiceContext } from "@/lib/context";
import type { Page } from "@/lib/page";
import { parseInput } from "@/lib/validation";
import { channelFields, listUnits, orderOf } from "./queries";
import { type ChannelSearch, channelSearchSchema } from "./schemas";
import { TAG_MEMBERS_SHOWN, type TagCommon, type TagRow, type TagSummary } from "./tag-types";
import type { Channel } from "./types";

/**
 * One page of tag mode (administrators): tags by name with their sums, the members of the tags in `open` below them,
 * and channels without a tag. Pages count tags and untagged channels.
 */
export async function listTagRows(
  ctx: ServiceContext,
  input: ChannelSearch,
  open: readonly string[] = [],
): Promise<Page<TagRow>> {
  requireRole(ctx, ROLE.admin);
  const search = parseInput(channelSearchSchema, { ...input, tagMode: true });
  const by = await orderOf(ctx, search);
  const { units, total } = await listUnits(ctx.db, search, by);
  const tags = units.flatMap((unit) => ("tag" in unit ? [unit.tag] : []));
  const ids = units.flatMap((unit) => ("id" in unit ? [unit.id] : []));
  const shown = tags.filter((tag) => open.includes(tag));
  const [summaries, members, untagged] = await Promise.all([
    summarise(ctx, tags),
    Promise.all(shown.map((tag) => listMembers(ctx, tag, by))),
    ids.length === 0 ? [] : ctx.db.select(channelFields).from(channels).where(inArray(channels.id, ids)),
  ]);
  const bySummary = new Map(summaries.map((summary) => [summary.tag, summary]));
  const byId = new Map(untagged.map((channel) => [channel.id, channel]));
  const items = units.flatMap((unit): TagRow[] => {
    if ("id" in unit) {
      const channel = byId.get(unit.id);
      return channel ? [{ kind: "channel", channel, isMember: false }] : [];
    }
    const summary = bySummary.get(unit.tag);
    const own = members[shown.indexOf(unit.tag)] ?? [];
    if (!summary) return [];
    return [{ kind: "tag", summary }, ...own.map((channel): TagRow => ({ kind: "channel", channel, isMember: true }))];
  });
  return { items, total, page: search.page, pageSize: search.pageSize };
}

async function summarise(ctx: ServiceContext, tags: string[]): Promise<TagSummary[]> {
  if (tags.length === 0) return [];
  const equal = (column: "priority" | "weight") =>
    sql<number | null>`case when min(${channels[column]}) = max(${channels[column]}) then min(${channels[column]}) end`;
  const groups = sql<string>`(
    select string_agg(distinct item, ',' order by item) from channels member, unnest(string_to_array(member."group", ',')) item
    where member.tag = ${channels.tag})`;
  return ctx.db
    .select({
      tag: sql<string>`${channels.tag}`,
      members: sql<number>`count(*)::int`,
      ids: sql<number[]>`array_agg(${channels.id} order by ${channels.id})`,
      enabled: sql<number>`(count(*) filter (where ${channels.status} = 1))::int`,
      group: groups,
      usedQuota: sql<number>`sum(${channels.usedQuota})::bigint`.mapWith(Number),
      responseTime: sql<number>`coalesce(round(avg(nullif(${channels.responseTime}, 0))), 0)::int`,
      priority: equal("priority"),
      weight: equal("weight"),
    })
    .from(channels)
    .where(inArray(channels.tag, tags))
    .groupBy(channels.tag);
}

function listMembers(ctx: ServiceContext, tag: string, by: SQL[]): Promise<Channel[]> {
  return ctx.db
    .select(channelFields)
    .from(channels)
    .where(inArray(channels.tag, [tag]))
    .orderBy(...by)
    .limit(TAG_MEMBERS_SHOWN);
}

/** What the members of a tag have in common; null when no channel has the tag (administrators). */
export async function getTag(ctx: ServiceContext, tag: string): Promise<TagCommon | null> {
  requireRole(ctx, ROLE.admin);
  const common = (column: "models" | "group" | "modelMapping") =>
    sql<string | null>`case when min(${channels[column]}) = max(${channels[column]}) then min(${channels[column]}) end`;
  const [row] = await ctx.db
    .select({
      members: sql<number>`count(*)::int`,
      models: common("models"),
      group: common("group"),
      modelMapping: common("modelMapping"),
    })
    .from(channels)
    .where(inArray(channels.tag, [tag]));
  return row && row.members > 0 ? { tag, ...row } : null;
}
