import { afterAll, beforeAll, expect, test } from "vitest";
import journal from "@/db/migrations/meta/_journal.json";
import { assertSchemaCurrent, SchemaTooOld } from "@/db/schema-version";
import { createTestDatabase, type TestDatabase } from "./database";

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());

test("a database at this version or a newer one is accepted, an older or empty one is named", async () => {
  const { sql } = database;
  await assertSchemaCurrent(sql);
  const newest = journal.entries.at(-1);
  const before = journal.entries.at(-2);
  await sql`delete from drizzle.__drizzle_migrations where created_at = ${newest?.when ?? 0}`;
  const refusal = assertSchemaCurrent(sql);
  await expect(refusal).rejects.toThrow(SchemaTooOld);
  await expect(refusal).rejects.toThrow(`Migrations are pending: the database is at ${before?.tag}`);
  await expect(refusal).rejects.toThrow(`needs ${newest?.tag}`);
  await sql`insert into drizzle.__drizzle_migrations (hash, created_at) values ('later', ${(newest?.when ?? 0) + 1000})`;
  await assertSchemaCurrent(sql);
  await sql`drop schema drizzle cascade`;
  await expect(assertSchemaCurrent(sql)).rejects.toThrow("empty or of an unknown version");
});
