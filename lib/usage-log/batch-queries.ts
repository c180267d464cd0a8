import { and, desc, eq, lte, sql } from "drizzle-orm";
import { channels, usageLogs } from "@/db/schema";
import type { ServiceContext } from "@/lib/context";
import { fromReplica } from "@/lib/replica/from-replica";
import { logFields, type Sight, sightOf, visible, withoutChannels } from "./queries";
import type { LogSearch } from "./schemas";
import type { UsageLog } from "./types";

/** The last row of the previous batch; the next batch continues after it by time, then id. */
type Place = { createdAt: number; id: number };

/**
 * All rows of a search in batches, newest first. Keyset pagination: memory stays bounded, and new rows do not shift the
 * batches. Ignores the search's paging. Throws forbidden like listLogs.
 */
export async function* readLogs(
  ctx: ServiceContext,
  input: LogSearch = {},
  batchSize = 1_000,
): AsyncGenerator<UsageLog[], void> {
  const sight = await sightOf(ctx, input);
  let place: Place | null = null;
  for (;;) {
    const from: Place | null = place;
    const rows: UsageLog[] = await fromReplica(ctx, (there) => readBatch(there, sight, from, batchSize));
    if (rows.length > 0) yield rows;
    const last = rows.at(-1);
    if (!last || rows.length < batchSize) return;
    place = { createdAt: last.createdAt, id: last.id };
  }
}

/** The newest rows of a search since a time (unix seconds), newest first, at most `limit`. Ignores the search's end time. */
export async function listLogsSince(
  ctx: ServiceContext,
  { endTimestamp: _, ...input }: LogSearch,
  since: number,
  limit: number,
): Promise<UsageLog[]> {
  return readBatch(ctx, await sightOf(ctx, { ...input, startTimestamp: since }), null, limit);
}

async function readBatch(
  ctx: ServiceContext,
  sight: Sight,
  place: Place | null,
  batchSize: number,
): Promise<UsageLog[]> {
  // The row comparison alone would read every partition; only the plain condition allows partition pruning.
  const beyond = place
    ? and(
        lte(usageLogs.createdAt, place.createdAt),
        sql`(${usageLogs.createdAt}, ${usageLogs.id}) < (${place.createdAt}::bigint, ${place.id}::bigint)`,
      )
    : undefined;
  const rows = await ctx.db
    .select(logFields)
    .from(usageLogs)
    .leftJoin(channels, eq(channels.id, usageLogs.channelId))
    .where(and(visible(sight), beyond))
    .orderBy(desc(usageLogs.createdAt), desc(usageLogs.id))
    .limit(batchSize);
  return sight.full ? rows : rows.map(withoutChannels);
}
