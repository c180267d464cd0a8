import { afterAll, beforeAll, expect, test } from "vitest";
import { createTestDatabase, type TestDatabase } from "@/lib/testing/database";
import { assertDatabaseAnswers } from "./database-answers";

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());

function changed(change: (url: URL) => void): string {
  const url = new URL(database.url);
  change(url);
  return url.href;
}

test("a database that answers is let through", async () => {
  await expect(assertDatabaseAnswers(database.url)).resolves.toBeUndefined();
});

test("what is wrong with DATABASE_URL is said in words, with what to do, and never the password", async () => {
  for (const url of ["localhost/weir", "mysql://weir@localhost/weir", ""]) {
    await expect(assertDatabaseAnswers(url), url).rejects.toThrow("must look like postgres://");
  }
  const nothing = assertDatabaseAnswers("postgres://weir:hidden@127.0.0.1:9/weir");
  await expect(nothing).rejects.toThrow(
    "PostgreSQL does not answer at 127.0.0.1:9. Start it, or correct DATABASE_URL.",
  );
  const nowhere = assertDatabaseAnswers("postgres://weir:hidden@db.invalid/weir");
  await expect(nowhere).rejects.toThrow("there is no machine with the name db.invalid");
  const missing = changed((url) => {
    url.pathname = "/no_such_database";
  });
  await expect(assertDatabaseAnswers(missing)).rejects.toThrow('has no database "no_such_database". Make it: createdb');
});
