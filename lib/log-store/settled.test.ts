import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { createTestDatabase, type TestDatabase } from "@/lib/testing/database";
import { forgetSettled } from "./settled-commands";

const DAY = 86_400;
const today = 20_780;
const noon = today * DAY + DAY / 2;

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());
beforeEach(async () => {
  await database.sql`truncate settled_requests, log_outbox`;
  for (let ago = 0; ago <= 3; ago++) await settle(today - ago);
});

const settle = (day: number) => database.sql`
  insert into settled_requests (created_at, user_id, slot, request_id)
  values (${day * DAY + 60}, 1, ${day % 4}, ${randomUUID()})`;

const daysAgo = async () =>
  (
    await database.sql<{ ago: number }[]>`
    select ${today} - created_at / ${DAY} as ago from settled_requests order by 1`
  ).map(({ ago }) => Number(ago));

test("requests settled three days ago are forgotten, later ones are not, and once is enough", async () => {
  expect(await forgetSettled(database.sql, noon)).toBe(true);
  expect(await daysAgo()).toEqual([0, 1, 2]);
  expect(await forgetSettled(database.sql, noon)).toBe(false);
  expect(await forgetSettled(database.sql, noon + DAY)).toBe(true);
  expect(await daysAgo()).toEqual([0, 1]);
});

test("nothing is forgotten around midnight, when clocks may disagree about the day", async () => {
  for (const at of [today * DAY + 30, (today + 1) * DAY - 30])
    expect(await forgetSettled(database.sql, at)).toBe(false);
  expect(await daysAgo()).toEqual([0, 1, 2, 3]);
});

test("nothing is forgotten while rows of that time wait for the log store, or a clock runs ahead by a day", async () => {
  await database.sql`insert into log_outbox (created_at, row_count, body) values (${noon - DAY - 60}, 1, '{}')`;
  expect(await forgetSettled(database.sql, noon)).toBe(false);
  await database.sql`delete from log_outbox`;
  await settle(today + 1);
  expect(await forgetSettled(database.sql, noon)).toBe(false);
  expect(await daysAgo()).toEqual([-1, 0, 1, 2, 3]);
});

test("whoever reads it at the moment is not waited for; the next run forgets", async () => {
  await database.sql.begin(async (tx) => {
    await tx`select count(*) from settled_requests`;
    expect(await forgetSettled(database.sql, noon)).toBe(false);
  });
  expect(await forgetSettled(database.sql, noon)).toBe(true);
});
