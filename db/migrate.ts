import { drizzle } from "drizzle-orm/postgres-js";
import { migrate } from "drizzle-orm/postgres-js/migrator";
import { connect } from "./connect";
import { applyFunctions } from "./functions";

/** Any number; all Weir processes agree on it so that only one migrates at a time. */
const MIGRATION_LOCK = 7_301_977;

type Folders = { migrations?: string; functions?: string };

/**
 * Brings the database at `url` up to date: the migrations first, then the functions whose text changed; returns the files
 * of these. Safe to call from several processes at once: they take turns under an advisory lock. Throws when the server
 * is unreachable or something fails; what failed is rolled back.
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
