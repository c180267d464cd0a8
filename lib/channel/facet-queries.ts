import { desc, sql } from "drizzle-orm";
import { channels } from "@/db/schema";
import { ROLE, requireRole, type ServiceContext } from "@/lib/context";
import { parseInput } from "@/lib/validation";
import { filterChannels } from "./queries";
import { type ChannelFilter, channelFilterSchema } from "./schemas";

/** A value and the number of channels that have it. */
export type Facet<Value extends string | number> = { value: Value; count: number };

export type ChannelFacets = {
  statuses: Facet<number>[];
  types: Facet<number>[];
  groups: Facet<string>[];
  /** "" = without a tag. */
  tags: Facet<string>[];
};

const VALUES_MAX = 100;

/**
 * The values of each property among the channels that match all other filters, most frequent first, at most 100 each
 * (administrators).
 */
export async function listChannelFacets(ctx: ServiceContext, input: Partial<ChannelFilter>): Promise<ChannelFacets> {
  requireRole(ctx, ROLE.admin);
  const filter = parseInput(channelFilterSchema, input);
  const count = sql<number>`count(*)::int`;
  const without = (part: Partial<ChannelFilter>) => filterChannels({ ...filter, ...part });
  const tag = sql<string>`coalesce(${channels.tag}, '')`;
  const group = sql<string>`unnest(string_to_array(${channels.group}, ','))`;
  const of = <Value extends string | number>(value: ReturnType<typeof sql<Value>>, part: Partial<ChannelFilter>) =>
    ctx.db
      .select({ value, count })
      .from(channels)
      .where(without(part))
      .groupBy(sql`1`)
      .orderBy(desc(count), sql`1`)
      .limit(VALUES_MAX);
  const [statuses, types, groups, tags] = await Promise.all([
    of(sql<number>`${channels.status}`, { statuses: [] }),
    of(sql<number>`${channels.type}`, { types: [] }),
    of(group, { groups: [] }),
    of(tag, { tags: [] }),
  ]);
  return { statuses, types, groups, tags };
}
