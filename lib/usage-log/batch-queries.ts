import type { ServiceContext } from "@/lib/context";
import { fromReplica } from "@/lib/replica/from-replica";
import { withAccountNames } from "./account-names-queries";
import type { UsageLog } from "./columns";
import { type Sight, sightOf, visible, withoutChannels } from "./queries";
import type { LogSearch } from "./schemas";
import { logSource } from "./source";
import type { Place } from "./source-types";

/** A log store reads an hour for each batch, however few of its rows are in it. */
const BATCH_ROWS = 4_000;

/**
 * All rows of a search in batches, newest first. Keyset pagination: memory stays bounded, and new rows do not shift the
 * batches. Ignores the search's paging. Throws forbidden like listLogs.
 */
export async function* readLogs(
  ctx: ServiceContext,
  input: LogSearch = {},
  batchSize = BATCH_ROWS,
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

async function readBatch(ctx: ServiceContext, sight: Sight, before: Place | null, limit: number): Promise<UsageLog[]> {
  const rows = await withAccountNames(ctx, await logSource(ctx).newest({ ...visible(sight), before, limit }));
  return sight.full ? rows : rows.map(withoutChannels);
}
