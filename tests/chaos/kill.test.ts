import { beforeAll, describe, expect, test } from "vitest";
import { reconcile } from "@/lib/billing/reconcile";
import { until } from "@/lib/testing/until";
import { type Charge, LOAD_MODELS, priceOf, wronglyCharged } from "./charges";
import { setUpWeir } from "./harness";
import { type Load, startLoad } from "./load";
import type { Role } from "./stack";

const CALLERS = 16;
describe("kill -9 in the middle of a load", () => {
  const weir = setUpWeir(LOAD_MODELS);
  let load: Load;
  let gatewayKills = 0;

  beforeAll(async () => {
    load = startLoad(weir.stack.port, weir.key, CALLERS);
    await untilServed(load, 20);
  }, 120_000);

  test.each<Role>(["gateway", "worker", "postgres", "gateway", "postgres"])(
    "the load goes on after every %s process was killed",
    async (role) => {
      expect(weir.stack.kill(role)).toBeGreaterThan(0);
      if (role === "gateway") gatewayKills += 1;
      await untilServed(load, 40);
    },
    90_000,
  );

  test("the load goes on after everything was killed and started again", async () => {
    for (let round = 0; round < 2; round++) {
      weir.stack.kill("everything");
      gatewayKills += 1;
      await weir.startAgain();
      await untilServed(load, 40);
    }
  }, 150_000);

  async function charges(): Promise<Charge[]> {
    return await weir.database.sql<Charge[]>`
      select request_id as "requestId", prompt_tokens - 12 as seed, quota::bigint as quota, is_stream as "isStream",
        coalesce((other->>'estimated')::boolean, false) as "isEstimated"
      from usage_logs where type = 2`;
  }

  test("every answer that a caller held whole has exactly one log row and one charge, of exactly its price, and reconcile finds nothing", async () => {
    await load.stop();
    await weir.stack.stop();
    await weir.startAgain();
    expect(load.whole.length).toBeGreaterThan(240);
    expect(wronglyCharged(load.whole, await charges())).toEqual([]);
    expect(new Set(load.whole.map((answer) => answer.requestId)).size).toBe(load.whole.length);
    expect((await reconcile(weir.database.sql)).differences).toEqual([]);
  }, 120_000);

  test("nothing is charged that the upstream never answered, nothing twice, and only what was in flight at a killed gateway is not charged", async () => {
    const { received, answered } = weir.upstream.seeds;
    const all = await charges();
    const reported = all.filter((charge) => !charge.isEstimated);
    const seeds = new Set(reported.map((charge) => charge.seed));
    expect(seeds.size).toBe(reported.length);
    expect([...seeds].filter((seed) => !answered.has(seed))).toEqual([]);
    expect(reported.filter(({ seed, quota, isStream }) => quota !== priceOf(seed, isStream))).toEqual([]);
    expect(all.length).toBeLessThanOrEqual(received.size);
    const unpaid = [...answered].filter((seed) => !seeds.has(seed));
    expect(unpaid.length).toBeLessThanOrEqual(CALLERS * gatewayKills);
    const held = new Set(load.whole.map((answer) => answer.seed));
    expect(unpaid.filter((seed) => held.has(seed))).toEqual([]);
  });

  test("logs, hours, token, channel and the difference of the balance are the same sum to the unit", async () => {
    const [sums] = await weir.database.sql<Record<string, number>[]>`
      select (select sum(quota)::bigint from usage_logs where type = 2) as logs,
        (select sum(quota)::bigint from usage_hourly) as hours,
        (select sum(count)::bigint from usage_hourly) as requests,
        (select sum(amount)::bigint from ledger_entries where user_id = u.id) - u.quota as balance,
        u.used_quota as used, u.request_count as counted, u.reserved as reserved,
        (select coalesce(sum(amount), 0)::bigint from leases where token_id = 0) as leased,
        (select sum(used_quota)::bigint from tokens) as token, (select sum(used_quota)::bigint from channels) as channel
      from users u where username = 'bench'`;
    const all = await charges();
    const sum = all.reduce((total, charge) => total + charge.quota, 0);
    expect(sum).toBeGreaterThan(0);
    // Reservations of the processes that were just killed have not been released yet.
    expect(sums?.reserved).toBe(sums?.leased);
    expect(sums).toMatchObject({
      logs: sum,
      hours: sum,
      balance: sum,
      used: sum,
      token: sum,
      channel: sum,
      requests: all.length,
      counted: all.length,
    });
  });
});

async function untilServed(load: Load, more: number): Promise<void> {
  const target = load.whole.length + more;
  await until(() => load.whole.length >= target, 75_000).catch(() => {
    throw new Error(`only ${load.whole.length} of ${target} answers; ${load.broken()} broken`);
  });
}
