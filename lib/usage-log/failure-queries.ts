import { and, inArray } from "drizzle-orm";
import { channels } from "@/db/schema";
import type { ServiceContext } from "@/lib/context";
import type { FailureGroup, FailureGroups } from "./failure-types";
import { IS_FAILURE, sightOf, visible } from "./queries";
import type { LogSearch } from "./schemas";
import { logSource } from "./source";

/** The newest failed requests that are grouped at most. */
export const GROUPED_MAX = 100_000;
const GROUPS_MAX = 50;

/**
 * The failed requests of a search by cause, model and (for administrators) channel, the most frequent first. Ignores the
 * search's paging.
 */
export async function listFailureGroups(ctx: ServiceContext, input: LogSearch = {}): Promise<FailureGroups> {
  const sight = await sightOf(ctx, input);
  const { full } = sight;
  const { where, ...asked } = visible(sight);
  const { groups: found, isPart } = await logSource(ctx).groupFailures(
    { ...asked, where: and(where, IS_FAILURE) },
    { byChannel: full, newest: GROUPED_MAX, limit: GROUPS_MAX },
  );
  const names = await channelNames(ctx, full ? found.map(({ channelId }) => channelId) : []);
  const groups = found.map(({ users, channelId, ...group }): FailureGroup => {
    return full ? { ...group, users, channelId, channelName: names.get(channelId) ?? "" } : group;
  });
  return { groups, isPart };
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
