import { drizzle } from "drizzle-orm/postgres-js";
import { migrate } from "drizzle-orm/postgres-js/migrator";
import { connect } from "./connect";

/** Any number; all Weir processes agree on it so that only one migrates at a time. */
const MIGRATION_LOCK = 7_301_977;

/**
 * Brings the database at `url` up to date. Safe to call from several processes at once: they take turns under an
 * advisory lock. Throws when the server is unreachable or a migration fails; a failed migration is rolled back.
 */
export async function migrateDatabase(url: string, migrationsFolder = "db/migrations"): Promise<void> {
  const sql = connect(url, { max: 1, onnotice: () => {}, connect_timeout: 10 });
  try {
    await sql`select pg_advisory_lock(${MIGRATION_LOCK})`;
    await migrate(drizzle({ client: sql }), { migrationsFolder });
    await sql`select pg_advisory_unlock(${MIGRATION_LOCK})`;
  } finally {
    await sql.end({ timeout: 5 });
  }
}
