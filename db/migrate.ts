import { drizzle } from "drizzle-orm/postgres-js";
import { migrate } from "drizzle-orm/postgres-js/migrator";
import { connect } from "./connect";
import { applyFunctions } from "./functions";

/** An arbitrary number. All Weir processes use the same one, so that only one of them migrates at a time. */
const MIGRATION_LOCK = 7_301_977;

type Folders = { migrations?: string; functions?: string };

/**
 * Brings the database at `url` up to date: migrations first, then changed functions. Returns the applied function files.
 * Safe to call from several processes at once: an advisory lock serialises them. Throws when the server is unreachable
 * or a step fails; the failed step is rolled back.
 */
export async function migrateDatabase(
  url: string,
  { migrations = "db/migrations", functions = "db/functions" }: Folders = {},
): Promise<{ functions: string[] }> {
  const sql = connect(url, { max: 1, onnotice: () => {}, connect_timeout: 10 });
  try {
    await sql`select pg_advisory_lock(${MIGRATION_LOCK})`;
    await migrate(drizzle({ client: sql }), { migrationsFolder: migrations });
    const applied = await applyFunctions(sql, functions);
    await sql`select pg_advisory_unlock(${MIGRATION_LOCK})`;
    return { functions: applied };
  } finally {
    await sql.end({ timeout: 5 });
  }
}
