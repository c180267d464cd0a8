/**
 * One database per group of users (docs/scale.md): two systems with copies of the same channels, options and prices, and
 * ids that never meet. Each charges its own users, its books agree by themselves, and neither needs the other.
 */
import { afterAll, beforeAll, expect, test } from "vitest";
import { until } from "@/lib/testing/until";
import { chatBody, type Relay, startRelay } from "../harness";

/** As docs/scale.md says: the second database numbers its users and tokens from here on. */
const SECOND_IDS = 100_000_001;
const CALLS = 12;
let first: Relay;
let second: Relay;

beforeAll(async () => {
  const setUp = { channels: [{}, { priority: 5 }], options: { RetryTimes: "2" } };
  [first, second] = await Promise.all([startRelay(setUp), startRelay(setUp)]);
  await second.database.sql.unsafe(`
    alter table users alter column id restart with ${SECOND_IDS};
    alter table tokens alter column id restart with ${SECOND_IDS}`);
});
// The first is closed by a test.
afterAll(() => second?.close());

const body = (model = "fake-gpt", more: Record<string, unknown> = {}) => chatBody(model, { max_tokens: 100, ...more });

/** Callers with limits and budgets, each with whole answers, streams and failures. */
async function serve(relay: Relay, people: number) {
  const limits = { unlimitedQuota: false, grantedQuota: 100_000, remainQuota: 100_000, budgetDay: 90_000 };
  const callers = await Promise.all(
    Array.from({ length: people }, () => relay.addCaller({ budgetMonth: 90_000 }, limits)),
  );
  const calls = callers.flatMap(({ token }) =>
    Array.from({ length: CALLS }, (_, call) =>
      relay.post(token.key, body(call % 3 === 1 ? "fake-error-500" : "fake-gpt", { stream: call % 3 === 0 })),
    ),
  );
  const answers = await Promise.all(calls);
  expect(answers.filter(({ status }) => status === 200)).toHaveLength((people * CALLS * 2) / 3);
  return callers;
}

async function chargesOf({ database: { sql } }: Relay) {
  const [row] = await sql<{ users: number; logs: number; used: number; least: number; most: number }[]>`
    select count(*)::int as users, coalesce(sum(used_quota), 0) as used, min(id) as least, max(id) as most,
      (select count(*)::int from usage_logs where type = 2) as logs from users`;
  return row;
}

test("both charge their own users at once, with equal channels and prices, and each one's books agree", async () => {
  const [ofFirst] = await Promise.all([serve(first, 3), serve(second, 4)]);
  const expected = (people: number) => ({ users: people, logs: (people * CALLS * 2) / 3 });
  await until(async () => (await chargesOf(first))?.logs === expected(3).logs, 10_000);
  await until(async () => (await chargesOf(second))?.logs === expected(4).logs, 10_000);
  const [a, b] = [await chargesOf(first), await chargesOf(second)];
  expect(a).toMatchObject(expected(3));
  expect(b).toMatchObject(expected(4));
  // The same requests cost the same.
  expect((a?.used ?? 0) / 3).toBe((b?.used ?? 0) / 4);
  expect(a?.most).toBeLessThan(SECOND_IDS);
  expect(b?.least).toBeGreaterThanOrEqual(SECOND_IDS);
  expect(await first.differences()).toEqual([]);
  expect(await second.differences()).toEqual([]);
  // A key leads to its own database only: whoever stands in front must know which.
  expect((await second.post(ofFirst[0]?.token.key ?? "", body())).status).toBe(401);
});

test("what channels charged over all databases is the sum of their copies", async () => {
  const usedBy = async ({ database: { sql } }: Relay) =>
    (
      await sql<{ used: number }[]>`
      select (select sum(used_quota) from channels) + coalesce((select sum(quota) from channel_charges), 0) as used`
    )[0]?.used;
  const [a, b] = [await usedBy(first), await usedBy(second)];
  expect(a).toBe((await chargesOf(first))?.used);
  expect(b).toBe((await chargesOf(second))?.used);
});

test("with one database gone, the users of the other are served and charged", async () => {
  await first.close();
  const before = await chargesOf(second);
  await serve(second, 1);
  await until(async () => (await chargesOf(second))?.logs === (before?.logs ?? 0) + (CALLS * 2) / 3, 10_000);
  expect(await second.differences()).toEqual([]);
});
