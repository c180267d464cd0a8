import { setMaxListeners } from "node:events";
import { setTimeout as delay } from "node:timers/promises";
import type { Sql } from "@/db/client";
import type { Job } from "./registry";

export type JobEvents = {
  onRun: (id: string, result: string, tookMs: number) => void;
  onError: (id: string, error: unknown) => void;
};

/**
 * Where jobs work and where their locks are held. Two pools: a job that holds its lock on a connection of the pool it works
 * with waits for ever once every connection holds one.
 */
export type JobPools = { work: Sql; locks: Sql };

/** Runs the job if no other machine is at it; a session lock, so that a crash frees it. Returns null when it was taken. */
export async function runExclusively({ work, locks }: JobPools, job: Job): Promise<string | null> {
  const session = await locks.reserve();
  try {
    const [lock] = await session<{ held: boolean }[]>`
      select pg_try_advisory_lock(hashtextextended(${`weir-job:${job.id}`}, 0)) as held`;
    if (!lock?.held) return null;
    try {
      return await job.run(work);
    } finally {
      await session`select pg_advisory_unlock(hashtextextended(${`weir-job:${job.id}`}, 0))`;
    }
  } finally {
    session.release();
  }
}

/** Runs every job now and then again `everyMs` after each end, until stopped. `stop` waits for the ones at work. */
export function startJobs(pools: JobPools, jobs: Job[], events: JobEvents): { stop: () => Promise<void> } {
  const stopping = new AbortController();
  // One pause of each job at a time; from the eleventh on Node would warn of a leak.
  setMaxListeners(jobs.length, stopping.signal);
  const loops = jobs.map(async (job) => {
    while (!stopping.signal.aborted) {
      const startedAt = Date.now();
      try {
        const result = await runExclusively(pools, job);
        if (result !== null) events.onRun(job.id, result, Date.now() - startedAt);
      } catch (error) {
        events.onError(job.id, error);
      }
      await delay(job.everyMs, undefined, { signal: stopping.signal }).catch(() => {});
    }
  });
  return {
    async stop() {
      stopping.abort();
      await Promise.all(loops);
    },
  };
}
