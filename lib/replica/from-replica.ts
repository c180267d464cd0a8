import type { ServiceContext } from "@/lib/context";
import { logger } from "@/lib/logger";
import { type ConsoleReplica, consoleReplica, inReplica } from "./replica-database";
import { readLastWrite, readReplica } from "./replica-queries";
import type { Floor } from "./watched-replica";

/**
 * Runs a read for a page, on the replica where that shows what it must, else on the primary. It must show everything up to a
 * few seconds ago (WEIR_REPLICA_LAG_SECONDS) and all that this user has changed. Whatever goes wrong there, the read is done once more on the
 * primary: a replica that is gone, a read that was in the way of its replay (40001), a row that it does not have yet.
 *
 * `read` is called with the context to use, perhaps twice, and must be complete when it resolves. Never for
 * what decides who may do what: the actor is read from the primary before.
 */
export async function fromReplica<Result>(
  ctx: ServiceContext,
  read: (ctx: ServiceContext) => Promise<Result>,
): Promise<Result> {
  const replica = consoleReplica();
  if (!replica) return read(ctx);
  const floor = replica.watched.floor();
  if (floor !== null) {
    try {
      const result = await readThere(replica, ctx, floor, read);
      replica.reads.replica += 1;
      return result;
    } catch (error) {
      if (!(error instanceof NotThere)) logger.debug({ err: error }, "a read is done again on the primary");
    }
  }
  replica.reads.primary += 1;
  return read(ctx);
}

/** The replica cannot show what it must. */
class NotThere extends Error {}

async function readThere<Result>(
  replica: ConsoleReplica,
  ctx: ServiceContext,
  floor: Floor,
  read: (ctx: ServiceContext) => Promise<Result>,
): Promise<Result> {
  const own = ctx.actor.type === "user" ? await readLastWrite(ctx.sql, ctx.actor.id) : 0;
  const reading = inReplica(replica, ctx, async (there) => {
    // On this very connection: behind one address there may be several servers.
    const { position, cluster } = await readReplica(there.sql);
    if (position === null || position < Math.max(own, floor.position)) throw new NotThere();
    if (cluster !== floor.cluster) throw new NotThere();
    return read(there);
  });
  return await unlessLost(reading, floor.freshness);
}

/** Rejects as soon as the replica is not fresh any more, so that nobody waits for one that has gone without a word. */
async function unlessLost<Result>(reading: Promise<Result>, freshness: AbortSignal): Promise<Result> {
  const waiting = new AbortController();
  const lost = new Promise<never>((_done, fail) => {
    const lose = (): void => fail(new NotThere());
    if (freshness.aborted) lose();
    else freshness.addEventListener("abort", lose, { once: true, signal: waiting.signal });
  });
  try {
    return await Promise.race([reading, lost]);
  } finally {
    waiting.abort();
    // Whoever asked no longer waits for it.
    reading.catch(() => {});
  }
}
