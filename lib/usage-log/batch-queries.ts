import { and, desc, eq, lte, sql } from "drizzle-orm";
import { channels, usageLogs } from "@/db/schema";
import type { ServiceContext } from "@/lib/context";
import { logFields, type Sight, sightOf, visible, withoutChannels } from "./queries";
import type { LogSearch } from "./schemas";
import type { UsageLog } from "./types";

/** Where the last batch ended; rows before it in time, then by id, are next. */
type Place = { createdAt: number; id: number };

/**
 * Every row of a search, newest first, a batch at a time by key: memory stays bounded however many there are, and rows
 * that come meanwhile change nothing. Paging of the search is ignored. Throws forbidden as listLogs does.
 */
export async function* readLogs(
  ctx: ServiceContext,
  input: LogSearch = {},
  batchSize = 1_000,
): AsyncGenerator<UsageLog[], void> {
  const sight = await sightOf(ctx, input);
  let place: Place | null = null;
  for (;;) {
    const rows: UsageLog[] = await readBatch(ctx, sight, place, batchSize);
    if (rows.length > 0) yield rows;
    const last = rows.at(-1);
    if (!last || rows.length < batchSize) return;
    place = { createdAt: last.createdAt, id: last.id };
  }
}

/** The newest rows of a search since a moment (unix seconds), newest first, at most `limit`; an end of it is ignored. */
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
  // The comparison of pairs alone would read every partition: only the plain one rules partitions out.
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
