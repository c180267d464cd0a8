import { setTimeout as delay } from "node:timers/promises";
import type { ReservedSql, Sql } from "postgres";
import { connect } from "./connect";
import { applyFunctions } from "./functions";
import { watchLocks } from "./lock-watch";
import { type Migration, readMigrations } from "./migration-files";
import { runSteps, type StepSettings } from "./migration-steps";
import { assertRights } from "./missing-rights";

/** An arbitrary number. All Weir processes use the same one, so that only one of them migrates at a time. */
export const MIGRATION_LOCK = 7_301_977;
const POLL_MS = 200;
const TELL_AFTER_MS = 2_000;

type Settings = Partial<Omit<StepSettings, "blockers">> & { migrations?: string; functions?: string };

/**
 * Brings the database at `url` up to date: migrations first, then changed functions. Returns the applied function files.
 * Safe to call from several processes at once: an advisory lock serialises them. What a crash has interrupted is
 * continued. Throws when the server is unreachable or a step fails; the failed step is rolled back.
 */
export async function migrateDatabase(
  url: string,
  { migrations = "db/migrations", functions = "db/functions", tell = () => {}, ...given }: Settings = {},
): Promise<{ functions: string[] }> {
  const files = await readMigrations(migrations);
  const sql = connect(url, {
    max: 2,
    onnotice: () => {},
    connect_timeout: 10,
    connection: { application_name: "weir-migrate" },
  });
  let session: ReservedSql | undefined;
  try {
    session = await sql.reserve();
    await lock(session, tell);
    await migrate(sql, session, files, { tell, ...given });
    // The version before starts again beside this one: it must not put back what this one has replaced.
    const isNewer = (await newestApplied(session)) > Math.max(...files.map(({ when }) => when));
    const applied = isNewer ? [] : await applyFunctions(sql, functions);
    await session`select pg_advisory_unlock(${MIGRATION_LOCK})`;
    return { functions: applied };
  } catch (error) {
    // What is lacking is also found where only functions have changed.
    if (session && (error as { code?: unknown }).code === "42501") await assertRights(session);
    throw error;
  } finally {
    // `end` would wait for it.
    session?.release();
    await sql.end({ timeout: 5 });
  }
}

/**
 * Asks again and again instead of waiting in the database: a waiting statement holds a snapshot, for which an index that
 * is made CONCURRENTLY would wait in turn.
 */
async function lock(session: ReservedSql, tell: (message: string) => void): Promise<void> {
  let tellAt = Date.now() + TELL_AFTER_MS;
  for (let wait = TELL_AFTER_MS; ; await delay(POLL_MS)) {
    const [row] = await session<{ held: boolean }[]>`select pg_try_advisory_lock(${MIGRATION_LOCK}) as held`;
    if (row?.held) return;
    if (Date.now() < tellAt) continue;
    tell("another process migrates the database; waiting for it");
    wait *= 2;
    tellAt = Date.now() + wait;
  }
}

async function migrate(
  sql: Sql,
  session: ReservedSql,
  files: Migration[],
  given: Partial<StepSettings> & Pick<StepSettings, "tell">,
): Promise<void> {
  const isKnown = await isUpToDate(session, files);
  if (isKnown) return;
  await assertRights(session);
  await prepareTables(session);
  const pending = await listPending(session, files);
  if (pending.length === 0) return;
  const [self] = await session<{ pid: number }[]>`select pg_backend_pid() as pid`;
  const watch = watchLocks(sql, self?.pid ?? 0, given.tell);
  try {
    for (const migration of pending) {
      await runSteps(session, migration, {
        lockWaitMs: 250,
        giveUpMs: 15 * 60_000,
        blockers: watch.seen,
        assertAlone: () => assertLocked(session),
        ...given,
      });
    }
  } finally {
    await watch.stop();
  }
}

/** Without anything to do, no rights are needed but those to read. */
async function isUpToDate(session: ReservedSql, files: Migration[]): Promise<boolean> {
  // Names are looked up in the catalogue: to_regclass fails for a schema that may not be used.
  const [made] = await session<{ there: boolean }[]>`
    select exists (select from pg_class c join pg_namespace n on n.oid = c.relnamespace
        where nspname = 'drizzle' and relname = '__drizzle_migrations'
        and has_schema_privilege(n.oid, 'usage') and has_table_privilege(c.oid, 'select'))
      and to_regclass('redemptions') is not null as there`;
  return made?.there === true && (await listPending(session, files)).length === 0;
}

/** Those of drizzle-orm, so that a database can be inspected with its tools, and how far an unfinished migration is. */
async function prepareTables(session: ReservedSql): Promise<void> {
  // Not "if not exists", for which the right to create is needed also where there is nothing to create.
  const [made] = await session<{ there: boolean }[]>`select to_regnamespace('drizzle') is not null as there`;
  if (!made?.there) await session`create schema drizzle`;
  await session`
    create table if not exists drizzle.__drizzle_migrations (id serial primary key, hash text not null, created_at bigint)`;
  await session`
    create table if not exists drizzle.unfinished_migrations (
      created_at bigint primary key, hash text not null, statements integer not null)`;
}

async function listPending(session: ReservedSql, files: Migration[]): Promise<Migration[]> {
  const newest = await newestApplied(session);
  return files.filter(({ when }) => when > newest);
}

async function newestApplied(session: ReservedSql): Promise<number> {
  const [last] = await session<{ when: string | null }[]>`
    select max(created_at)::text as when from drizzle.__drizzle_migrations`;
  return last?.when == null ? Number.NEGATIVE_INFINITY : Number(last.when);
}

/** A connection that was lost and opened again holds no lock. */
async function assertLocked(session: ReservedSql): Promise<void> {
  const [row] = await session<{ held: boolean }[]>`
    select exists (select from pg_locks where locktype = 'advisory' and objid = ${MIGRATION_LOCK}
      and pid = pg_backend_pid() and granted) as held`;
  if (!row?.held)
    throw new Error("the connection to the database was lost during a migration; the next start continues");
}
