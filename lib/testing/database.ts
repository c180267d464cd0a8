import { randomBytes } from "node:crypto";
import postgres from "postgres";
import { createDatabase } from "@/db/client";
import { migrateDatabase } from "@/db/migrate";

const templateName = "weir_test_template";

export type TestDatabase = ReturnType<typeof createDatabase> & {
  url: string;
  drop: () => Promise<void>;
};

function onServer(serverUrl: string) {
  return postgres(serverUrl, { max: 1, onnotice: () => {} });
}

function urlOf(serverUrl: string, database: string): string {
  const url = new URL(serverUrl);
  url.pathname = `/${database}`;
  return url.href;
}

/** Creates the migrated database that test databases are copied from. */
export async function prepareTemplate(serverUrl: string): Promise<void> {
  const server = onServer(serverUrl);
  await server.unsafe(`DROP DATABASE IF EXISTS ${templateName} WITH (FORCE)`);
  await server.unsafe(`CREATE DATABASE ${templateName}`);
  await server.end();
  await migrateDatabase(urlOf(serverUrl, templateName));
}

/** Creates an empty, migrated database for a test file; call `drop` in afterAll. */
export async function createTestDatabase(): Promise<TestDatabase> {
  const serverUrl = process.env.TEST_DATABASE_URL;
  if (!serverUrl) throw new Error("no database for this test: tests/projects.ts does not see that it uses one");
  const name = `weir_test_${randomBytes(6).toString("hex")}`;
  const server = onServer(serverUrl);
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
      await server.end();
    },
  };
}
