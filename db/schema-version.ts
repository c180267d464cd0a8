import type { Sql } from "postgres";
import journal from "./migrations/meta/_journal.json";

export class SchemaTooOld extends Error {}

/** The newest migration that this version was built with, by name. */
const needed = journal.entries.reduce((newest, entry) => (entry.when > newest.when ? entry : newest));

/**
 * Throws SchemaTooOld when migrations of this version are missing in the database. A newer schema is fine: the version
 * before runs beside the version after (docs/operations/upgrade.md).
 */
export async function assertSchemaCurrent(sql: Pick<Sql, "unsafe">): Promise<void> {
  const [table] = await sql.unsafe("select to_regclass('drizzle.__drizzle_migrations') is not null as there");
  const [row] = table?.there
    ? await sql.unsafe("select max(created_at)::text as newest from drizzle.__drizzle_migrations")
    : [];
  const newest: unknown = row?.newest;
  if (typeof newest === "string" && Number(newest) >= needed.when) return;
  const present = journal.entries.find(({ when }) => String(when) === newest)?.tag;
  throw new SchemaTooOld(
    `Migrations are pending: the database is ${present ? `at ${present}` : "empty or of an unknown version"}, this version ` +
      `of Weir needs ${needed.tag}. Start Weir once on this database (npm start), which applies them.`,
  );
}
