// An account of the database without some right: the migrations say what to run, as SQL that mends it when it is run as it stands.

import { randomBytes } from "node:crypto";
import { afterAll, beforeAll, expect, test } from "vitest";
import { connect } from "@/db/connect";
import { migrateDatabase } from "@/db/migrate";
import { listMissingRights } from "@/db/missing-rights";
import { createTestDatabase, type TestDatabase } from "@/lib/testing/database";

const suffix = randomBytes(5).toString("hex");
const role = `Weir App ${suffix}`;
let server: TestDatabase;
const made: string[] = [];

beforeAll(async () => {
  server = await createTestDatabase();
  await server.sql.unsafe(`create role "${role}" login password 'pw' nosuperuser`);
});
afterAll(async () => {
  for (const name of made) await server.sql.unsafe(`drop database "${name}" with (force)`);
  await server.sql.unsafe(`drop role "${role}"`);
  await server.drop();
});

/** An address of an empty database for an account; the owner's without one. */
function addressOf(database: string, account = ""): string {
  const url = new URL(server.url);
  url.pathname = `/${database}`;
  if (account !== "") Object.assign(url, { username: encodeURIComponent(account), password: "pw" });
  return url.href;
}

test.each([
  ["no right to create anything", "revoke create on schema public from public", 3],
  [
    "a search path to a schema that is not there",
    `alter role "${role}" in database DATABASE set search_path = "my app"; revoke create on schema public from public`,
    4,
  ],
  ["no right to use the schema of the history", `create schema drizzle; revoke create on schema public from public`, 3],
  ["everything was restored by somebody else", `MIGRATED; update drizzle.applied_functions set hash = ''`, 3],
])(
  "%s: what is said to be run is enough",
  async (_, prepare, count) => {
    const database = `weir_rights_${suffix}_${made.length}`;
    made.push(database);
    const isMigrated = prepare.startsWith("MIGRATED");
    await server.sql.unsafe(`create database ${database} ${isMigrated ? "template weir_test_template" : ""}`);
    const owner = connect(addressOf(database), { max: 1, onnotice: () => {} });
    try {
      for (const statement of prepare.replace(/^MIGRATED;/, "").split(";"))
        await owner.unsafe(statement.replace("DATABASE", database));
      const url = addressOf(database, role);
      const failure: unknown = await migrateDatabase(url).catch((error: unknown) => error);
      const lines = (failure as Error).message.split("\n").slice(1);
      expect(lines, (failure as Error).message).toHaveLength(count);
      for (const line of lines) {
        expect(line).toMatch(/^ {2}(GRANT|CREATE|ALTER|DO) .*;$/);
        await owner.unsafe(line);
      }
      await migrateDatabase(url);
      const own = connect(url, { max: 1, onnotice: () => {} });
      expect(await listMissingRights(own)).toEqual([]);
      await own.end();
    } finally {
      await owner.end();
    }
  },
  120_000,
);
