import type { Sql } from "@/db/client";
import { nowSeconds } from "@/lib/clock";

const NAME = "weir-log-store-rows";

type RemovalLock = {
  /** The transaction that holds the lock. */
  sql: Sql;
  /** Whether rows of that time were put back to be looked at. */
  isRestored: (range: { start: number; end: number }) => Promise<boolean>;
  /** Throws when the connection is gone. */
  assertHeld: () => Promise<void>;
};

/** Runs while nothing is written into the log store. Waits for what is being written now. */
export function lockForRemoval<Result>(sql: Sql, run: (lock: RemovalLock) => Promise<Result>): Promise<Result> {
  return sql.begin(async (transaction) => {
    const tx = transaction as unknown as Sql;
    await tx`select pg_advisory_xact_lock(hashtextextended(${NAME}, 0))`;
    return run({
      sql: tx,
      async isRestored({ start, end }) {
        const rows = await tx`
          select 1 from log_restores where keep_until > ${nowSeconds()} and from_time < ${end} and until_time > ${start}`;
        return rows.length > 0;
      },
      async assertHeld() {
        await tx`select 1`;
      },
    });
  }) as Promise<Result>;
}

/** Runs while nothing is removed from the log store by lockForRemoval. Several may write at the same time. */
export function lockForWriting<Result>(sql: Sql, run: () => Promise<Result>): Promise<Result> {
  return sql.begin(async (tx) => {
    await tx`select pg_advisory_xact_lock_shared(hashtextextended(${NAME}, 0))`;
    return run();
  }) as Promise<Result>;
}
