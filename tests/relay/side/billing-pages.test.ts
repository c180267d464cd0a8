import { describe, expect, test } from "vitest";
import { chatBody, setUpRelay, startRelay, until } from "../harness";

const models = "fake-gpt,fake-gpt:delay=300";
const relay = setUpRelay({ prices: models, channels: [{ models }] });

async function ask(
  key: string,
  path: string,
): Promise<{ status: number; json: Record<string, unknown>; headers: Headers }> {
  const response = await fetch(`${relay.url}${path}`, { headers: { authorization: `Bearer ${key}` } });
  return {
    status: response.status,
    headers: response.headers,
    json: (await response.json()) as Record<string, unknown>,
  };
}

const limits = (usd: number) => ({ soft_limit_usd: usd, hard_limit_usd: usd, system_hard_limit_usd: usd });

describe("billing pages", () => {
  test("tell the token's quota, or the user's when DisplayTokenStatEnabled is off, on both paths (B321)", async () => {
    const user = await relay.addUser({ balance: 2_000_000 });
    const expiredTime = Math.floor(Date.now() / 1000) + 3_600;
    const { key } = await relay.addToken(user, { unlimitedQuota: false, remainQuota: 1_000_000, expiredTime });
    await relay.post(key, chatBody("fake-gpt"));
    for (const prefix of ["", "/v1"]) {
      const subscription = await ask(key, `${prefix}/dashboard/billing/subscription`);
      expect([subscription.status, subscription.json]).toEqual([
        200,
        { object: "billing_subscription", has_payment_method: true, ...limits(2), access_until: expiredTime },
      ]);
      const usage = await ask(key, `${prefix}/dashboard/billing/usage?start_date=2026-01-01&end_date=2026-02-01`);
      expect(usage.json).toEqual({ object: "list", total_usage: (38 / 500_000) * 100 });
    }
    await relay.setOption("DisplayTokenStatEnabled", "false");
    await relay.inForce();
    expect((await ask(key, "/v1/dashboard/billing/subscription")).json).toMatchObject(limits(4));
    await relay.setOption("DisplayInCurrencyEnabled", "false");
    await relay.inForce();
    expect((await ask(key, "/v1/dashboard/billing/subscription")).json).toMatchObject(limits(2_000_000));
    expect((await ask(key, "/v1/dashboard/billing/usage")).json).toMatchObject({ total_usage: 3_800 });
    await relay.setOption("DisplayTokenStatEnabled", "true");
    await relay.setOption("DisplayInCurrencyEnabled", "true");
    await relay.inForce();
  });

  test("an unlimited token shows the agreed figure and no end; a wrong key sees nothing (B321)", async () => {
    const { key } = await relay.addToken(await relay.addUser());
    const { json } = await ask(key, "/dashboard/billing/subscription");
    expect(json).toMatchObject({ ...limits(100_000_000), access_until: 0 });
    expect((await ask("sk-wrong", "/dashboard/billing/usage")).status).toBe(401);
  });

  test("an address that asks too often is told to wait", async () => {
    process.env.GLOBAL_API_RATE_LIMIT_ENABLE = "true";
    process.env.GLOBAL_API_RATE_LIMIT = "3";
    const limited = await startRelay();
    const { key } = await limited.addToken(await limited.addUser());
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
    await relay.setOption("PreConsumedQuota", "500");
    await relay.inForce();
    // A request without max_tokens reserves about 1,040: its prompt, and 500 tokens at ratio 2.
    const user = await relay.addUser({ balance: 1_500 });
    const { key } = await relay.addToken(user);
    const first = relay.post(key, chatBody("fake-gpt:delay=300"));
    const seen = relay.upstream.requests.length;
    await until(() => relay.upstream.requests.length > seen);
    const [held] = await relay.database.sql<{ quota: number; reserved: number }[]>`
      select quota, reserved from users where id = ${user}`;
    expect(held?.quota).toBe(1_500);
    expect(held?.reserved).toBeGreaterThan(1_000);
    const second = await relay.post(key, chatBody("fake-gpt"));
    // The balance would pay for both: when the first is over, at the latest.
    expect([second.status, second.wire.error.code]).toEqual([503, "quota_reserved"]);
    expect(Number(second.headers.get("retry-after"))).toBeGreaterThan(0);
    expect((await first).status).toBe(200);
    expect(await relay.balanceOf(user)).toEqual({ quota: 1_462, used: 38 });
    expect((await relay.post(key, chatBody("fake-gpt"))).status).toBe(200);
    expect(await relay.balanceOf(user)).toEqual({ quota: 1_424, used: 76 });
  });

  test("a request that fails gets everything back (B317)", async () => {
    const user = await relay.addUser({ balance: 1_500 });
    const { key } = await relay.addToken(user);
    await relay.addChannel({ group: "default", models: "fake-error-400" });
    await relay.setPrices("fake-gpt,fake-gpt:delay=300,fake-error-400");
    await relay.inForce();
    expect((await relay.post(key, chatBody("fake-error-400"))).status).toBe(400);
    expect((await relay.post(key, chatBody("fake-gpt"))).status).toBe(200);
    expect((await relay.balanceOf(user)).used).toBe(38);
  });
});

test("with LogConsumeEnabled off nothing is listed, and what was used is charged all the same (B319)", async () => {
  const user = await relay.addUser();
  const { key } = await relay.addToken(user);
  await relay.setOption("LogConsumeEnabled", "false");
  await relay.inForce();
  expect((await relay.post(key, chatBody("fake-gpt"))).status).toBe(200);
  await relay.setOption("LogConsumeEnabled", "true");
  const { sql } = relay.database;
  expect(await sql`select 1 from usage_logs where user_id = ${user} and not hidden`).toHaveLength(0);
  expect(await relay.balanceOf(user)).toEqual({ quota: 1_000_000 - 38, used: 38 });
  const [hour] = await sql`select count, quota from usage_hourly where user_id = ${user}`;
  expect(hour).toEqual({ count: 1, quota: 38 });
});
