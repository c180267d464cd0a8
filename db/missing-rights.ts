import type postgres from "postgres";

type Rights = {
  account: string;
  /** Who signed in: another account where the address sets `role`. */
  session: string;
  database: string;
  schema: string | null;
  mayCreateSchemas: boolean;
  mayUse: boolean;
  mayCreate: boolean;
  hasHistory: boolean;
  mayUseHistory: boolean;
  hasTrigrams: boolean;
  foreign: string | null;
};

/**
 * What the account of this connection lacks to apply migrations, as SQL for the owner of the database or a superuser to run; [] =
 * nothing.
 */
export async function listMissingRights(sql: postgres.Sql | postgres.ReservedSql): Promise<string[]> {
  const [rights] = await sql<Rights[]>`
    select quote_ident(current_user) as account, quote_ident(session_user) as session, quote_ident(current_database()) as database,
      current_schema() as schema,
      has_database_privilege(current_database(), 'create') as "mayCreateSchemas",
      coalesce(has_schema_privilege('public', 'usage'), false) as "mayUse",
      coalesce(has_schema_privilege('public', 'create'), false) as "mayCreate",
      to_regnamespace('drizzle') is not null as "hasHistory",
      coalesce((select has_schema_privilege(oid, 'usage') and has_schema_privilege(oid, 'create')
        from pg_namespace where nspname = 'drizzle'), false) as "mayUseHistory",
      exists (select from pg_extension where extname = 'pg_trgm') as "hasTrigrams",
      (select quote_ident(pg_get_userbyid(relowner)) from pg_class where not pg_has_role(relowner, 'usage')
        and (relnamespace = to_regnamespace('public') and relname = 'options'
          or relnamespace = to_regnamespace('drizzle') and relname = '__drizzle_migrations')
        limit 1) as foreign`;
  return rights ? sqlOf(rights) : [];
}

function sqlOf(rights: Rights): string[] {
  const { account, database, schema, foreign } = rights;
  const missing: string[] = [];
  // The migrations name it.
  if (schema !== "public")
    missing.push(`ALTER ROLE ${rights.session} IN DATABASE ${database} SET search_path = public;`);
  if (!rights.mayUse || !rights.mayCreate) missing.push(`GRANT USAGE, CREATE ON SCHEMA public TO ${account};`);
  if (!rights.hasHistory && !rights.mayCreateSchemas) missing.push(`CREATE SCHEMA drizzle AUTHORIZATION ${account};`);
  if (rights.hasHistory && !rights.mayUseHistory) missing.push(`GRANT USAGE, CREATE ON SCHEMA drizzle TO ${account};`);
  // pg_trgm is a trusted extension: who may create schemas may create it.
  if (!rights.hasTrigrams && !rights.mayCreateSchemas) {
    missing.push("CREATE EXTENSION pg_trgm SCHEMA public;");
  }
  if (foreign !== null) missing.push(ownAll(account, foreign));
  return missing;
}

/** As after a backup that somebody else restored: tables and functions of Weir's schemas, without those of extensions. */
function ownAll(account: string, owner: string): string {
  const literal = (text: string): string => text.replaceAll("'", "''");
  const of = (prefix: string): string =>
    `${prefix}owner = '${literal(owner)}'::regrole AND ${prefix}namespace IN ('public'::regnamespace, to_regnamespace('drizzle'))`;
  const tables = `SELECT 'TABLE ' || oid::regclass FROM pg_class WHERE relkind IN ('r', 'p', 'v', 'm') AND ${of("rel")}`;
  const routines = `SELECT 'ROUTINE ' || oid::regprocedure FROM pg_proc p WHERE ${of("pro")} AND NOT EXISTS (SELECT FROM pg_depend WHERE classid = 'pg_proc'::regclass AND objid = p.oid AND deptype = 'e')`;
  return `DO $$ DECLARE t text; BEGIN FOR t IN ${tables} UNION ALL ${routines} LOOP EXECUTE 'ALTER ' || t || ' OWNER TO ${literal(account)}'; END LOOP; END $$;`;
}

/** Throws an error in words with the SQL that mends it. */
export async function assertRights(sql: postgres.ReservedSql): Promise<void> {
  const missing = await listMissingRights(sql);
  if (missing.length === 0) return;
  throw new Error(
    `the account of the database lacks rights for its migrations. As the owner of the database, or as a superuser, run in it:\n${missing.map((line) => `  ${line}`).join("\n")}`,
  );
}
