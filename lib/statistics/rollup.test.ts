import { afterAll, beforeAll, expect, test } from "vitest";
import { createBilledUser, settlementOf, startBillingProcess } from "@/lib/testing/billing";
import { createTestDatabase, type TestDatabase } from "@/lib/testing/database";
import { rollUpUsage } from "./rollup-commands";
import { readTop, type SpanDimension } from "./span-queries";
import type { Summed } from "./spans";
import { everybodysHours, hoursOfUser, readSummed } from "./sums-queries";

const HOUR = 3_600;
const DAY = 86_400;
const now = Math.floor(Date.now() / 1000);
const firstHour = now - (now % HOUR) - 40 * DAY;
const DIMENSIONS: SpanDimension[] = ["user", "token", "channel"];
const JOBS = ["usage-sums", "usage-user-sums"];
const COLUMNS = { user: "user_id", token: "token_id", channel: "channel_id" } as const;

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
  // Forty days with gaps, few users with high and many with low consumption, and some ties. Every third hour of every
  // second day has rows, and of the ninth, where a window ends: each hour is a transaction of its own.
  await database.sql`
    insert into usage_hourly (hour, user_id, token_id, channel_id, model_name, "group", count, quota, prompt_tokens,
      completion_tokens)
    select ${firstHour} + (n * 7919 % 320) * 3 * 3600, 1001 + (n * n) % 97, 1 + (n * 31) % 613, 1 + (n * n * n) % 41,
      'model ' || n % 5, 'group ' || n % 2, 1 + n % 3, 10000 / (1 + (n * n) % 97) + n % 4, n % 11, n % 7
    from generate_series(1::bigint, 6000) n
    where (n * 7919 % 320) not between 100 and 173 and ((n * 7919 % 320) / 8 % 2 = 0 or (n * 7919 % 320) / 8 = 9)`;
});
afterAll(() => database.drop());

const sumAll = async () => {
  while ((await rollUpUsage(database.sql)) > 0);
  return readSummed(database.sql);
};

function expected(dimension: SpanDimension, from: number, until: number, rows: number) {
  return database.sql`
    select ${database.sql(COLUMNS[dimension])} as key, sum(count)::bigint as count, sum(quota)::bigint as quota,
      sum(prompt_tokens + completion_tokens)::bigint as tokens
    from usage_hourly where hour >= ${from} and hour < ${until}
    group by 1 order by 3 desc, 2 desc, 1 limit ${rows}`;
}

async function compareEverything(summed: Summed): Promise<void> {
  const { sql } = database;
  const windows = [
    [0, 41 * DAY],
    [5 * HOUR, 30 * DAY + 3 * HOUR],
    [13 * DAY + HOUR, 13 * DAY + 20 * HOUR],
    [12 * DAY, 22 * DAY],
    [9 * DAY + 7 * HOUR, 38 * DAY + 1_800],
  ] as const;
  for (const [after, before] of windows) {
    const [from, until] = [firstHour + after, firstHour + before];
    for (const dimension of DIMENSIONS) {
      for (const rows of [2, 700]) {
        const found = await readTop(sql, { dimension, from, until, summed, rows });
        expect(found, `${dimension} ${after} ${before}`).toEqual([...(await expected(dimension, from, until, rows))]);
      }
    }
    const sums = await sql`
      select hour, model_name, "group", sum(count) as count, sum(quota) as quota, sum(tokens) as tokens
      from (${everybodysHours(sql, from, until, summed)}) parts group by 1, 2, 3 order by 1, 2, 3`;
    const rows = await sql`
      select hour, model_name, "group", sum(count) as count, sum(quota) as quota,
        sum(prompt_tokens + completion_tokens) as tokens
      from usage_hourly where hour >= ${from} and hour < ${until} group by 1, 2, 3 order by 1, 2, 3`;
    expect([...sums]).toEqual([...rows]);
    await compareUsers(from, until, summed);
  }
}

async function compareUsers(from: number, until: number, summed: Summed): Promise<void> {
  const { sql } = database;
  for (const userId of [1001, 1097]) {
    const found = await sql`
      select hour, model_name, "group", sum(count) as count, sum(quota) as quota, sum(tokens) as tokens
      from (${hoursOfUser(sql, userId, from, until, summed)}) parts group by 1, 2, 3 order by 1, 2, 3`;
    const rows = await sql`
      select hour, model_name, "group", sum(count) as count, sum(quota) as quota,
        sum(prompt_tokens + completion_tokens) as tokens
      from usage_hourly where user_id = ${userId} and hour >= ${from} and hour < ${until}
      group by 1, 2, 3 order by 1, 2, 3`;
    expect([...found], `user ${userId}`).toEqual([...rows]);
  }
}

test("before and after hours are summed, figures are those of the rows, in any window and by any dimension", async () => {
  await compareEverything({ until: 0, shortestFrom: 0, usersUntil: 0 });
  const summed = await sumAll();
  expect(now - summed.until).toBeLessThan(2 * HOUR + 600);
  const [counted] = await database.sql`select count(*)::int as spans from usage_spans`;
  expect(counted?.spans).toBeGreaterThan(100);
  await compareEverything(summed);
  // The next run deletes the short spans, and the results do not change.
  await compareEverything(await sumAll());
  const [shortest] = await database.sql`select min(start) as start from usage_spans where hours = 4`;
  expect(shortest?.start).toBeGreaterThanOrEqual(now - 37 * DAY);
});

test("who spent most is found where nobody stands out, and among those who spent nothing", async () => {
  const from = firstHour - 400 * DAY - (firstHour % DAY);
  await database.sql`
    insert into usage_hourly (hour, user_id, token_id, channel_id, model_name, "group", count, quota)
    select ${from} + (n % 48) * 3600, n % 300, n % 300, 1, 'm', 'g', 1 + n % 300, case when n % 300 < 150 then 0 else 9 end
    from generate_series(0, 14399) n
    on conflict do nothing`;
  await database.sql`update job_positions set position = ${from} where job = any(${JOBS})`;
  const summed = await sumAll();
  for (const [dimension, rows] of [
    ["user", 20],
    ["token", 250],
  ] as const) {
    const found = await readTop(database.sql, { dimension, from, until: from + 2 * DAY, summed, rows });
    expect(found).toEqual([...(await expected(dimension, from, from + 2 * DAY, rows))]);
  }
});

test("a charge that is booked late is in the figures at once, and its hour is summed again", async () => {
  const summed = await sumAll();
  const gateway = await startBillingProcess(database.url, { lingerMs: 0 });
  const userId = await createBilledUser(database, 9_000_000);
  const late = firstHour + 38 * DAY + 90;
  await gateway.settler.settle(settlementOf({ userId, quota: 3_000_000, createdAt: now }));
  expect((await readSummed(database.sql)).until).toBe(summed.until);
  await gateway.settler.settle(settlementOf({ userId, quota: 5_000_000, createdAt: late }));
  const position = await readSummed(database.sql);
  expect(position).toMatchObject({ until: late - (late % HOUR), usersUntil: late - (late % HOUR) });
  const ofLate = (at: Summed) => database.sql`
    select hour::int, quota::int from (${hoursOfUser(database.sql, userId, firstHour, firstHour + 39 * DAY, at)}) parts`;
  expect([...(await ofLate(position))]).toEqual([{ hour: late - (late % HOUR), quota: 5_000_000 }]);
  const search = { dimension: "user", from: firstHour, until: firstHour + 39 * DAY, rows: 1 } as const;
  const lateUser = { key: userId, quota: 5_000_000, count: 1, tokens: 7 };
  expect(await readTop(database.sql, { ...search, summed: position })).toEqual([lateUser]);
  expect(await sumAll()).toEqual(summed);
  expect(await readTop(database.sql, { ...search, summed })).toEqual([lateUser]);
  expect([...(await ofLate(summed))]).toEqual([{ hour: late - (late % HOUR), quota: 5_000_000 }]);
  await gateway.stop();
  await compareEverything(summed);
});

test("an hour is not summed while a late charge of it is being booked", async () => {
  const summed = await sumAll();
  const reopened = firstHour + 39 * DAY;
  const held = await database.sql.reserve();
  try {
    await held`begin`;
    await held`update job_positions set position = least(position, ${reopened}) where job = any(${JOBS})`;
    const run = rollUpUsage(database.sql);
    await held`
      insert into usage_hourly (hour, user_id, token_id, channel_id, model_name, "group", count, quota)
      values (${reopened}, 1097, 1, 1, 'late', 'g', 1, 77)`;
    await held`commit`;
    await run;
  } finally {
    held.release();
  }
  expect(await sumAll()).toEqual(summed);
  await compareEverything(summed);
});
