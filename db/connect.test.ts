import { afterAll, beforeAll, expect, test } from "vitest";
import { createTestDatabase, type TestDatabase } from "@/lib/testing/database";

let database: TestDatabase;

beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());

test("a query that is over lets go of its parameters, so that batches do not pile up in memory", async () => {
  const query = database.sql`select length(${"a long batch"}::text) as length`;
  const kept = query as unknown as { args: unknown; parameters: unknown };
  expect(kept.args).toEqual(["a long batch"]);
  expect(await query).toEqual([{ length: 12 }]);
  expect(kept).toMatchObject({ args: null, parameters: null });
});
