import { afterAll, beforeAll, expect, test } from "vitest";
import { bookSettlements } from "@/lib/billing/settlement-batch";
import { encodeSettlement } from "@/lib/billing/settlement-row";
import {
  costOf,
  createBilledChannel,
  createBilledToken,
  createBilledUser,
  settlementOf,
  startBillingProcess,
} from "@/lib/testing/billing";
import { createTestDatabase, type TestDatabase } from "@/lib/testing/database";
import { readLosses } from "./margin-row-queries";
import { rollUpUsage } from "./rollup-commands";
import { readTop, readTopOf, type SpanDimension } from "./span-queries";
import type { Summed } from "./spans";
import { everybodysHours, hoursOfUser, readSummed } from "./sums-queries";

const HOUR = 3_600;
const DAY = 86_400;
const now = Math.floor(Date.now() / 1000);
const firstHour = now - (now % HOUR) - 40 * DAY;
const DIMENSIONS: SpanDimension[] = ["user", "token", "channel"];
const JOBS = ["usage-sums", "usage-user-sums", "usage-channel-model-sums"];
const COLUMNS = { user: "user_id", token: "token_id", channel: "channel_id" } as const;

let database: TestDatabase;
/** Two users with keys of their own, who use some without a key as well. */
let owners: number[];
beforeAll(async () => {
  database = await createTestDatabase();
  // Forty days with gaps, few users with high and many with low consumption, some ties, and a loss in some hours. Every third
  // hour of every second day has rows, and of the ninth, where a window ends: each hour is a transaction of its own.
  await database.sql`
    insert into usage_hourly (hour, user_id, token_id, channel_id, model_name, "group", count, quota, prompt_tokens,
      completion_tokens, cost, unbilled_cost, unknown_costs)
    select ${firstHour} + (n * 7919 % 320) * 3 * 3600, 1001 + (n * n) % 97, 100001 + (n * 31) % 613, 1 + (n * n * n) % 41,
      'model ' || n % 5, 'group ' || n % 2, 1 + n % 3, 10000 / (1 + (n * n) % 97) + n % 4, n % 11, n % 7, 300 * (n % 3), n % 2,
      nullif(n % 5, 4)
    from generate_series(1::bigint, 6000) n
    where (n * 7919 % 320) not between 100 and 173 and ((n * 7919 % 320) / 8 % 2 = 0 or (n * 7919 % 320) / 8 = 9)`;
  owners = [await createBilledUser(database, 0), await createBilledUser(database, 0)];
  for (const owner of owners) {
    const keys = [0, await createBilledToken(database, owner, null), await createBilledToken(database, owner, null)];
    await database.sql`
      insert into usage_hourly (hour, user_id, token_id, channel_id, model_name, "group", count, quota)
      select distinct on (hour) hour, ${owner}::int, (${keys}::int[])[(1 + hour / 10800 % 3)::int], 1, 'm', 'g', 1, 1 + hour % 1013
      from usage_hourly`;
  }
});
afterAll(() => database.drop());

const sumAll = async () => {
  while ((await rollUpUsage(database.sql)) > 0);
  return readSummed(database.sql);
};

function expected(dimension: SpanDimension, from: number, until: number, rows: number, owner: number | null = null) {
  return database.sql`
    select ${database.sql(COLUMNS[dimension])} as key, sum(count)::bigint as count, sum(quota)::bigint as quota,
      sum(prompt_tokens + completion_tokens)::bigint as tokens
    from usage_hourly where hour >= ${from} and hour < ${until} and coalesce(user_id = ${owner}, true)
    group by 1 order by 3 desc, 2 desc, 1 limit ${rows}`;
}

async function compareEverything(summed: Summed): Promise<void> {
  const { sql } = database;
  const windows = [
    [0, 41 * DAY],
    [5 * HOUR, 30 * DAY + 3 * HOUR],
    [13 * DAY + HOUR, 13 * DAY + 20 * HOUR],
    [12 * DAY, 22 * DAY],
    [12 * DAY, 12 * DAY],
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
    await compareLosses(from, until - (until % HOUR), summed);
  }
}

async function compareLosses(from: number, until: number, summed: Summed): Promise<void> {
  const { sql } = database;
  const found = await readLosses({ sql, from, until, summed, step: HOUR, now }, 1_000);
  const rows = await sql`
    select channel_id as "channelId", model_name as "modelName", sum(count)::bigint as count, sum(quota)::bigint as sold,
      sum(cost)::bigint as bought, sum(unbilled_cost)::bigint as unbilled,
      sum(coalesce(unknown_costs, count))::bigint as unknown
    from usage_hourly where hour >= ${from} and hour < ${until}
    group by 1, 2 having sum(cost) > sum(quota) order by sum(cost) - sum(quota) desc, 1, 2`;
  expect(found.rows.map(({ channelName: _, ...row }) => row)).toEqual([...rows]);
  expect(found.count).toBe(rows.length);
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
  for (const owner of owners) {
    for (const dimension of ["token", "channel"] as const) {
      const found = await readTopOf(sql, owner, { dimension, from, until, summed, rows: 700 });
      expect(found, `${dimension} of ${owner}`).toEqual([...(await expected(dimension, from, until, 700, owner))]);
    }
  }
}

test("before and after hours are summed, figures are those of the rows, in any window and by any dimension", async () => {
  await compareEverything({ until: 0, shortestFrom: 0, usersUntil: 0, channelModelsUntil: 0 });
  const summed = await sumAll();
  expect(now - summed.until).toBeLessThan(2 * HOUR + 600);
  const [counted] = await database.sql`
    select (select count(*)::int from usage_spans) as spans,
      (select count(*)::int from usage_channel_model_spans) as "channelModelSpans"`;
  expect(counted?.spans).toBeGreaterThan(100);
  expect(counted?.channelModelSpans).toBeGreaterThan(100);
  await compareEverything(summed);
  // The next run deletes the short spans, and the results do not change.
  await compareEverything(await sumAll());
  for (const table of ["usage_spans", "usage_channel_model_spans"]) {
    const [shortest] = await database.sql`select min(start) as start from ${database.sql(table)} where hours = 4`;
    expect(shortest?.start, table).toBeGreaterThanOrEqual(now - 37 * DAY);
  }
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
  const hour = late - (late % HOUR);
  expect(position).toMatchObject({ until: hour, usersUntil: hour, channelModelsUntil: hour });
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

// Few and many are booked by different functions of the database.
test.each([1, 40])(
  "%i late charges in one batch move the positions of all sums back to their hour",
  async (charges) => {
    const { until } = await sumAll();
    const userId = await createBilledUser(database, 9_000_000);
    const hour = firstHour + 39 * DAY - charges * HOUR;
    const late = Array.from({ length: charges }, () => settlementOf({ userId, quota: 5, createdAt: hour + 1 }));
    await bookSettlements(database.sql, null, late.map(encodeSettlement));
    expect(hour).toBeLessThan(until);
    const position = await readSummed(database.sql);
    expect(position).toMatchObject({ until: hour, usersUntil: hour, channelModelsUntil: hour });
    await compareLosses(firstHour, firstHour + 40 * DAY, position);
    await compareLosses(firstHour, firstHour + 40 * DAY, await sumAll());
  },
);

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
      values (${reopened}, 1097, 100001, 1, 'late', 'g', 1, 77)`;
    await held`commit`;
    await run;
  } finally {
    held.release();
  }
  expect(await sumAll()).toEqual(summed);
  await compareEverything(summed);
});

test("losses of a history that was summed before they were are right at once, and are summed from its beginning", async () => {
  const { sql } = database;
  const before = await sumAll();
  const window = [firstHour + 5 * HOUR, firstHour + 30 * DAY] as const;
  await sql`truncate usage_channel_model_spans`;
  await sql`delete from job_positions where job = 'usage-channel-model-sums'`;
  await compareLosses(...window, await readSummed(sql));
  // The first run reaches part of it.
  await rollUpUsage(sql);
  const part = await readSummed(sql);
  expect(
    [...(await sql`select from usage_channel_model_spans where hours = 4 and start < ${part.shortestFrom}`)],
    "spans that the next run would delete",
  ).toEqual([]);
  expect(part.channelModelsUntil).toBeLessThan(part.until);
  await compareLosses(...window, part);
  expect(await sumAll()).toEqual(before);
  await compareLosses(...window, before);
});

test("losses are right while and after a worker of the version before sums the hour of a late charge again", async () => {
  const { sql } = database;
  const { until, usersUntil } = await sumAll();
  const gateway = await startBillingProcess(database.url, { lingerMs: 0 });
  const userId = await createBilledUser(database, 9_000_000);
  const channelId = await createBilledChannel(database);
  const createdAt = firstHour + 36 * DAY + 90;
  await gateway.settler.settle(settlementOf({ userId, channelId, quota: 10, cost: costOf(50_000), createdAt }));
  await gateway.stop();
  // It knows of the first two positions only.
  await sql`update job_positions set position = ${until} where job = 'usage-sums'`;
  await sql`update job_positions set position = ${usersUntil} where job = 'usage-user-sums'`;
  const lossOf = async (summed: Summed) => {
    const part = { sql, from: firstHour, until: firstHour + 40 * DAY, summed, step: HOUR, now };
    return (await readLosses(part, 1_000)).rows.find((row) => row.channelId === channelId);
  };
  const loss = { sold: 10, bought: 50_000 };
  expect(await lossOf(await readSummed(sql))).toMatchObject(loss);
  expect(await lossOf(await sumAll())).toMatchObject(loss);
});
