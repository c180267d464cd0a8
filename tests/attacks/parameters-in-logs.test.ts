/**
 * Who: whoever can read the logs, a crash report or a page of a failed request. With what: errors of the database, which
 * carry the parameters of the statement: hashes, e-mail addresses, sealed keys. What must hold: an error says which
 * statement failed and why (SQLSTATE, constraint) and holds no value of it, in any place where it can be printed.
 */
import { inspect } from "node:util";
import { sql as query } from "drizzle-orm";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { users } from "@/db/schema";
import { toErrorRecord } from "@/lib/logger";
import { createTestDatabase, type TestDatabase } from "@/lib/testing/database";

const SECRET = "secret-of-alice@weir.example";
let database: TestDatabase;

beforeAll(async () => {
  database = await createTestDatabase();
  await database.db.insert(users).values({ username: "alice", email: SECRET });
});
afterAll(() => database.drop());

const failing: [string, () => Promise<unknown>, { code: string; constraint?: string }][] = [
  [
    "a taken e-mail address, by Drizzle",
    async () => database.db.insert(users).values({ username: "bob", email: SECRET }),
    { code: "23505", constraint: "users_email_key" },
  ],
  [
    "a taken e-mail address, by hand-written SQL",
    async () => database.sql`insert into users (username, email) values ('bob', ${SECRET})`,
    { code: "23505", constraint: "users_email_key" },
  ],
  ["a value of the wrong type", async () => database.db.execute(query`select ${SECRET}::text::int`), { code: "22P02" }],
  [
    "the same inside a transaction",
    async () => database.db.transaction((tx) => tx.execute(query`select ${SECRET}::text::int`)),
    { code: "22P02" },
  ],
];

describe("an error of the database", () => {
  test.each(failing)("%s is logged with its reason and without a value", async (_what, run, expected) => {
    const error = await run().catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(Error);
    const record = toErrorRecord(error);
    expect(record).toMatchObject(expected);
    expect(JSON.stringify(record)).not.toContain(SECRET);
  });

  test.each(failing.slice(0, 2))("%s holds no value for those who print it themselves", async (_what, run) => {
    const error = await run().catch((thrown: unknown) => thrown);
    expect(inspect(error, { depth: 10, showHidden: false })).not.toContain(SECRET);
  });

  test("the failed statement is still named", async () => {
    const error = await database.db.execute(query`select ${SECRET}::text::int`).catch((thrown: unknown) => thrown);
    expect(toErrorRecord(error)).toMatchObject({
      message: expect.stringContaining("Failed query: select $1::text::int"),
    });
  });
});
