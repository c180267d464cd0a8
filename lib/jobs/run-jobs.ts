import { setMaxListeners } from "node:events";
import { setTimeout as delay } from "node:timers/promises";
import type { Sql } from "@/db/client";
import type { JobLocks } from "./job-locks";
import type { Job } from "./registry";

export type JobEvents = {
  onRun: (id: string, result: string, tookMs: number) => void;
  onError: (id: string, error: unknown) => void;
};

/** Separate pools for the work and for the locks: with a single pool, jobs wait forever once every connection holds a lock. */
export type JobPools = { work: Sql; locks: JobLocks };

/** Runs the job unless another process holds its lock; returns null then. */
export async function runExclusively(
  { work, locks }: JobPools,
  job: Job,
  stopping?: AbortSignal,
): Promise<string | null> {
  return await locks.hold(job.id, () => job.run(work, stopping));
}

/** Runs every job at once and again `everyMs` after each end. `stop` tells running jobs and waits for them. */
export function startJobs(pools: JobPools, jobs: Job[], events: JobEvents): { stop: () => Promise<void> } {
  const stopping = new AbortController();
  // Each job adds a few abort listeners at a time; above ten Node would warn of a leak.
  setMaxListeners(2 * jobs.length, stopping.signal);
  const loops = jobs.map(async (job) => {
    while (!stopping.signal.aborted) {
      const startedAt = Date.now();
      try {
        const result = await runExclusively(pools, job, stopping.signal);
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
