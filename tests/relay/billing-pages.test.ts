import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import {
  addChannel,
  addToken,
  addUser,
  balanceOf,
  chatBody,
  differences,
  post,
  type Stack,
  setOption,
  setPrices,
  settleIn,
  startStack,
  until,
} from "./harness";

let stack: Stack;

beforeAll(async () => {
  stack = await startStack();
  await setPrices(stack, "fake-gpt,fake-gpt:delay=300");
  await addChannel(stack, { models: "fake-gpt,fake-gpt:delay=300" });
  await settleIn();
});
afterEach(async () => expect(await differences(stack)).toEqual([]));
afterAll(() => stack.close());

async function ask(
  key: string,
  path: string,
): Promise<{ status: number; json: Record<string, unknown>; headers: Headers }> {
  const response = await fetch(`${stack.url}${path}`, { headers: { authorization: `Bearer ${key}` } });
  return {
    status: response.status,
    headers: response.headers,
    json: (await response.json()) as Record<string, unknown>,
  };
}

const limits = (usd: number) => ({ soft_limit_usd: usd, hard_limit_usd: usd, system_hard_limit_usd: usd });

describe("billing pages", () => {
  test("tell the token's quota, or the user's when DisplayTokenStatEnabled is off, on both paths (B321)", async () => {
    const user = await addUser(stack, { balance: 2_000_000 });
    const expiredTime = Math.floor(Date.now() / 1000) + 3_600;
    const { key } = await addToken(stack, user, { unlimitedQuota: false, remainQuota: 1_000_000, expiredTime });
    await post(stack, key, chatBody("fake-gpt"));
    for (const prefix of ["", "/v1"]) {
      const subscription = await ask(key, `${prefix}/dashboard/billing/subscription`);
      expect([subscription.status, subscription.json]).toEqual([
        200,
        { object: "billing_subscription", has_payment_method: true, ...limits(2), access_until: expiredTime },
      ]);
      const usage = await ask(key, `${prefix}/dashboard/billing/usage?start_date=2026-01-01&end_date=2026-02-01`);
      expect(usage.json).toEqual({ object: "list", total_usage: (38 / 500_000) * 100 });
    }
    await setOption(stack, "DisplayTokenStatEnabled", "false");
    await settleIn();
    expect((await ask(key, "/v1/dashboard/billing/subscription")).json).toMatchObject(limits(4));
    await setOption(stack, "DisplayInCurrencyEnabled", "false");
    await settleIn();
    expect((await ask(key, "/v1/dashboard/billing/subscription")).json).toMatchObject(limits(2_000_000));
    expect((await ask(key, "/v1/dashboard/billing/usage")).json).toMatchObject({ total_usage: 3_800 });
    await setOption(stack, "DisplayTokenStatEnabled", "true");
    await setOption(stack, "DisplayInCurrencyEnabled", "true");
    await settleIn();
  });

  test("an unlimited token shows the agreed figure and no end; a wrong key sees nothing (B321)", async () => {
    const { key } = await addToken(stack, await addUser(stack));
    const { json } = await ask(key, "/dashboard/billing/subscription");
    expect(json).toMatchObject({ ...limits(100_000_000), access_until: 0 });
    expect((await ask("sk-wrong", "/dashboard/billing/usage")).status).toBe(401);
  });

  test("an address that asks too often is told to wait", async () => {
    process.env.GLOBAL_API_RATE_LIMIT_ENABLE = "true";
    process.env.GLOBAL_API_RATE_LIMIT = "3";
    const limited = await startStack();
    const { key } = await addToken(limited, await addUser(limited));
    const ask = () =>
      fetch(`${limited.url}/v1/dashboard/billing/usage`, { headers: { authorization: `Bearer ${key}` } });
    const statuses = [];
    for (let i = 0; i < 4; i++) statuses.push((await ask()).status);
    expect(statuses).toEqual([200, 200, 200, 429]);
    process.env.GLOBAL_API_RATE_LIMIT_ENABLE = "false";
    delete process.env.GLOBAL_API_RATE_LIMIT;
    await limited.close();
  });
});

describe("what is set aside", () => {
  test("PreConsumedQuota is held while a request runs and the difference comes back after it (B317)", async () => {
    await setOption(stack, "PreConsumedQuota", "500");
    await settleIn();
    // A request without a limit of its own sets some 1,040 aside: its prompt, and 500 tokens at ratio 2.
    const user = await addUser(stack, { balance: 1_500 });
    const { key } = await addToken(stack, user);
    const first = post(stack, key, chatBody("fake-gpt:delay=300"));
    const seen = stack.upstream.requests.length;
    await until(() => stack.upstream.requests.length > seen);
    const [held] = await stack.database.sql<{ quota: number; reserved: number }[]>`
      select quota, reserved from users where id = ${user}`;
    expect(held?.quota).toBe(1_500);
    expect(held?.reserved).toBeGreaterThan(1_000);
    const second = await post(stack, key, chatBody("fake-gpt"));
    expect([second.status, second.wire.error.code]).toEqual([403, "insufficient_user_quota"]);
    expect((await first).status).toBe(200);
    expect(await balanceOf(stack, user)).toEqual({ quota: 1_462, used: 38 });
    expect((await post(stack, key, chatBody("fake-gpt"))).status).toBe(200);
    expect(await balanceOf(stack, user)).toEqual({ quota: 1_424, used: 76 });
  });

  test("a request that fails gets everything back (B317)", async () => {
    const user = await addUser(stack, { balance: 1_500 });
    const { key } = await addToken(stack, user);
    await addChannel(stack, { group: "default", models: "fake-error-400" });
    await setPrices(stack, "fake-gpt,fake-gpt:delay=300,fake-error-400");
    await settleIn();
    expect((await post(stack, key, chatBody("fake-error-400"))).status).toBe(400);
    expect((await post(stack, key, chatBody("fake-gpt"))).status).toBe(200);
    expect((await balanceOf(stack, user)).used).toBe(38);
  });
});

test("with LogConsumeEnabled off nothing is listed, and what was used is charged all the same (B319)", async () => {
  const user = await addUser(stack);
  const { key } = await addToken(stack, user);
  await setOption(stack, "LogConsumeEnabled", "false");
  await settleIn();
  expect((await post(stack, key, chatBody("fake-gpt"))).status).toBe(200);
  await setOption(stack, "LogConsumeEnabled", "true");
  const { sql } = stack.database;
  expect(await sql`select 1 from usage_logs where user_id = ${user} and not hidden`).toHaveLength(0);
  expect(await balanceOf(stack, user)).toEqual({ quota: 1_000_000 - 38, used: 38 });
  const [hour] = await sql`select count, quota from usage_hourly where user_id = ${user}`;
  expect(hour).toEqual({ count: 1, quota: 38 });
});
