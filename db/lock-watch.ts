import { setTimeout as delay } from "node:timers/promises";
import type { Sql } from "postgres";

const POLL_MS = 100;
/** A wait that lasts is told after this time, and again after each doubling. */
const TELL_AFTER_MS = 2_000;

type Blocker = { pid: number; name: string; state: string; seconds: number; locks: string };

export type LockWatch = {
  /** Who blocked the session when it was last looked at; null = nobody. */
  seen: () => string | null;
  stop: () => Promise<void>;
};

/** Looks on a connection of its own for whom a session waits for, and tells when it takes long. */
export function watchLocks(sql: Sql, pid: number, tell: (message: string) => void): LockWatch {
  const stopping = new AbortController();
  let seen: string | null = null;
  const loop = (async () => {
    let waitingSince = 0;
    let tellAfterMs = TELL_AFTER_MS;
    while (!stopping.signal.aborted) {
      // Watching only explains; the migration itself reports a database that is away.
      const blockers = await listBlockers(sql, pid).catch(() => []);
      if (blockers.length === 0) {
        waitingSince = 0;
        tellAfterMs = TELL_AFTER_MS;
      } else {
        seen = blockers.map(describe).join("; ");
        waitingSince ||= Date.now();
        if (Date.now() - waitingSince >= tellAfterMs) {
          tell(`a migration waits for ${seen}`);
          tellAfterMs *= 2;
        }
      }
      await delay(POLL_MS, undefined, { signal: stopping.signal }).catch(() => {});
    }
  })();
  return {
    seen: () => seen,
    async stop() {
      stopping.abort();
      await loop;
    },
  };
}

function listBlockers(sql: Sql, pid: number): Promise<Blocker[]> {
  return sql<Blocker[]>`
    select pid, application_name as name, coalesce(state, '') as state,
      coalesce(extract(epoch from now() - xact_start), 0)::int as seconds,
      coalesce((select string_agg(distinct relation::regclass::text, ', ') from pg_locks
        where pg_locks.pid = activity.pid and granted and locktype = 'relation' and relation > 16383), '') as locks
    from pg_stat_activity activity where pid = any(pg_blocking_pids(${pid}))`;
}

function describe({ pid, name, state, seconds, locks }: Blocker): string {
  const of = locks === "" ? "" : ` on ${locks.length > 120 ? `${locks.slice(0, 120)} …` : locks}`;
  return `process ${pid} (${name || "no name"}, ${state}, its transaction began ${seconds} s ago) with locks${of}`;
}
