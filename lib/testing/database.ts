import { randomBytes } from "node:crypto";
import postgres from "postgres";
import { createDatabase } from "@/db/client";
import { migrateDatabase } from "@/db/migrate";

const templateName = "weir_test_template";

const DROP_FAR_MONTHS = `
  DO $$ DECLARE far text; BEGIN
    FOR far IN
      SELECT name FROM (
        SELECT inhrelid::regclass::text AS name,
          (regexp_match(pg_get_expr(relpartbound, inhrelid), 'FROM \\(''?(\\d+)''?\\)'))[1]::bigint AS start
        FROM pg_inherits JOIN pg_class ON pg_class.oid = inhrelid WHERE inhparent = 'usage_logs'::regclass
      ) AS months
      WHERE start - extract(epoch FROM date_trunc('month', now() AT TIME ZONE 'UTC')) NOT BETWEEN -63 * 86400 AND 32 * 86400
    LOOP
      EXECUTE format('DROP TABLE %s', far);
    END LOOP;
  END $$`;

export type TestDatabase = ReturnType<typeof createDatabase> & {
  url: string;
  drop: () => Promise<void>;
};

function onServer(serverUrl: string) {
  return postgres(serverUrl, { max: 1, onnotice: () => {} });
}

let maker: postgres.Sql | undefined;

/** The connection that makes and drops the databases of all files that one worker runs. */
function makerOf(serverUrl: string): postgres.Sql {
  maker ??= postgres(serverUrl, { max: 1, idle_timeout: 20, onnotice: () => {} });
  return maker;
}

function urlOf(serverUrl: string, database: string): string {
  const url = new URL(serverUrl);
  url.pathname = `/${database}`;
  return url.href;
}

/**
 * Creates the migrated database that test databases are copied from. It has four months of the usage log instead of seven, because
 * each connection reads the definitions of all of them and plans for all of them: the next month, this one and two before,
 * so that the last forty days have theirs on every date. Tests of other months make them.
 */
export async function prepareTemplate(serverUrl: string): Promise<void> {
  const server = onServer(serverUrl);
  await server.unsafe(`DROP DATABASE IF EXISTS ${templateName} WITH (FORCE)`);
  await server.unsafe(`CREATE DATABASE ${templateName}`);
  await server.end();
  await migrateDatabase(urlOf(serverUrl, templateName));
  const template = onServer(urlOf(serverUrl, templateName));
  await template.unsafe(DROP_FAR_MONTHS);
  await template.end();
}

/** Creates an empty, migrated database for a test file; call `drop` in afterAll. */
export async function createTestDatabase(): Promise<TestDatabase> {
  const serverUrl = process.env.TEST_DATABASE_URL;
  if (!serverUrl) throw new Error("no database for this test: tests/projects.ts does not see that it uses one");
  const name = `weir_test_${randomBytes(6).toString("hex")}`;
  const server = makerOf(serverUrl);
  // Copying the files takes half of the time that logging each block takes. Where fsync is off, its checkpoints cost nothing.
  await server.unsafe(`CREATE DATABASE ${name} TEMPLATE ${templateName} STRATEGY FILE_COPY`);
  const url = urlOf(serverUrl, name);
  const database = createDatabase({ url, max: 10, applicationName: "weir-test" });
  return {
    ...database,
    url,
    async drop() {
      await database.end();
      await server.unsafe(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`);
    },
  };
}
