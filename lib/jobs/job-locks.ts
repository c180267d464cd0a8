import type { ReservedSql } from "postgres";
import type { Sql } from "@/db/client";

type Session = { opened: Promise<ReservedSql>; users: number };

/**
 * The locks of all jobs of a process. One session holds them, because each session is a process of PostgreSQL's; a crash
 * releases them with it. `pool` needs a second connection for when the first is lost.
 */
export class JobLocks {
  private readonly pool: Sql;
  /** A session would give its own locks once more. */
  private readonly held = new Set<string>();
  private session: Session | null = null;

  constructor(pool: Sql) {
    this.pool = pool;
  }

  /** Runs `work` with the lock; null = somebody else has it. */
  async hold<T>(id: string, work: () => Promise<T>): Promise<T | null> {
    if (this.held.has(id)) return null;
    this.held.add(id);
    const session = this.join();
    try {
      const [lock] = await this.ask(
        session,
        (sql) => sql<{ held: boolean }[]>`select pg_try_advisory_lock(hashtextextended(${nameOf(id)}, 0)) as held`,
      );
      if (!lock?.held) return null;
      try {
        return await work();
      } finally {
        await this.ask(session, (sql) => sql`select pg_advisory_unlock(hashtextextended(${nameOf(id)}, 0))`);
      }
    } finally {
      this.held.delete(id);
      await this.leave(session);
    }
  }

  private join(): Session {
    this.session ??= { opened: this.pool.reserve(), users: 0 };
    this.session.users += 1;
    return this.session;
  }

  /** After a failure the next job opens another session: with its connection this one has lost its locks. */
  private async ask<T>(session: Session, statement: (sql: ReservedSql) => Promise<T>): Promise<T> {
    try {
      return await statement(await session.opened);
    } catch (error) {
      if (this.session === session) this.session = null;
      throw error;
    }
  }

  private async leave(session: Session): Promise<void> {
    session.users -= 1;
    if (session.users > 0) return;
    if (this.session === session) this.session = null;
    await session.opened.then(
      (sql) => sql.release(),
      () => {},
    );
  }
}

const nameOf = (id: string): string => `weir-job:${id}`;
