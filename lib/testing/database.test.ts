import { afterAll, beforeAll, expect, test } from "vitest";
import { createTestDatabase, type TestDatabase } from "./database";

let first: TestDatabase;
let second: TestDatabase;
beforeAll(async () => {
  first = await createTestDatabase();
  second = await createTestDatabase();
});
afterAll(async () => {
  await first.drop();
  await second.drop();
});

test("each test database is migrated and apart from the others", async () => {
  await first.sql`insert into options (key, value) values ('SystemName', '"one"')`;
  expect(await first.sql`select count(*)::int as count from options`).toEqual([{ count: 1 }]);
  expect(await second.sql`select count(*)::int as count from options`).toEqual([{ count: 0 }]);
});

test("bigint columns arrive as whole numbers", async () => {
  const [row] = await first.sql`select 123456789012::bigint as amount`;
  expect(row).toEqual({ amount: 123456789012 });
});

test("a query that is over lets go of its parameters, so that batches do not pile up in memory", async () => {
  const query = first.sql`select length(${"a long batch"}::text) as length`;
  const kept = query as unknown as { args: unknown; parameters: unknown };
  expect(kept.args).toEqual(["a long batch"]);
  expect(await query).toEqual([{ length: 12 }]);
  expect(kept).toMatchObject({ args: null, parameters: null });
});
