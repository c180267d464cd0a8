import { describe, expect, test } from "vitest";
import { postLedgerEntry } from "@/lib/billing/ledger";
import { reconcile } from "@/lib/billing/reconcile";
import { until } from "@/lib/testing/until";
import { setUpWeir } from "./harness";

type Balance = { id: number; quota: number; usedQuota: number };
type GreedyLog = { quota: number; beyond: number };

/** Answers with 1,000 tokens whatever max_tokens says. Costs 12 + 3 × 1,000 units at the prices of prepareDatabase. */
const GREEDY = "fake-gpt:chunks=1000";
const GREEDY_COST = 3_012;

/** 503 = the other process holds the rest of the balance at that moment. */
const REFUSED = new Set([429, 503]);

describe("a balance under parallel requests on two gateway processes", () => {
  const weir = setUpWeir(`fake-gpt,${GREEDY}`);

  async function ask(model = "fake-gpt", stream = false): Promise<number> {
    const response = await fetch(`http://127.0.0.1:${weir.stack.port}/v1/chat/completions`, {
      method: "POST",
      headers: { authorization: `Bearer ${weir.key}`, "content-type": "application/json" },
      body: JSON.stringify({ model, stream, max_tokens: 20, messages: [{ role: "user", content: "hi" }] }),
    });
    await response.arrayBuffer();
    return response.status;
  }

  async function balanceNow(): Promise<Balance> {
    const [row] = await weir.database.sql<Balance[]>`
      select id, quota, used_quota as "usedQuota" from users where username = 'bench'`;
    if (!row) throw new Error("the user is missing");
    return row;
  }

  /** An answer ends before its charge is in the database, by a few milliseconds. */
  async function untilBooked(usedQuota: number): Promise<void> {
    await until(async () => (await balanceNow()).usedQuota === usedQuota, 5_000);
  }

  async function setBalance(balance: number, reference: string): Promise<void> {
    const { id, quota } = await balanceNow();
    const entry = { userId: id, amount: balance - quota, kind: "adjustment", reference, actorId: null } as const;
    await postLedgerEntry(weir.database.db, entry);
  }

  test("200 parallel requests against a balance that pays for 10: at most 10 served, never negative, each charged once", async () => {
    expect(await ask()).toBe(200);
    await until(async () => (await balanceNow()).usedQuota > 0, 5_000);
    const cost = (await balanceNow()).usedQuota;
    await setBalance(cost * 10, "overdraft:lower");
    const statuses = await Promise.all(Array.from({ length: 200 }, () => ask()));
    const served = statuses.filter((status) => status === 200).length;
    expect(served).toBeGreaterThan(0);
    expect(served).toBeLessThanOrEqual(10);
    expect(statuses.filter((status) => status !== 200 && !REFUSED.has(status))).toEqual([]);
    await untilBooked(cost * (1 + served));
    expect((await balanceNow()).quota).toBe(cost * (10 - served));
    expect((await reconcile(weir.database.sql)).differences).toEqual([]);
  }, 60_000);

  test("usage above the reservation is charged in full and marked in the log; then nothing is admitted until the balance is positive again", async () => {
    const balance = 500;
    await setBalance(balance, "overdraft:small");
    const before = await balanceNow();
    const greedy = await Promise.all(Array.from({ length: 40 }, () => ask(GREEDY)));
    const served = greedy.filter((status) => status === 200).length;
    expect(served).toBeGreaterThan(0);
    expect(greedy.filter((status) => status !== 200 && !REFUSED.has(status))).toEqual([]);
    await untilBooked(before.usedQuota + served * GREEDY_COST);
    const rows = await weir.database.sql<GreedyLog[]>`
      select quota::bigint as quota, (other->>'beyond_reservation')::bigint as beyond
      from every_log where type = 2 and model_name = ${GREEDY}`;
    expect(rows).toHaveLength(served);
    expect(rows.filter(({ quota }) => quota !== GREEDY_COST)).toEqual([]);
    const reserved = rows.map(({ quota, beyond }) => quota - beyond);
    expect(Math.min(...reserved)).toBeGreaterThan(0);
    const admitted = reserved.reduce((sum, amount) => sum + amount, 0);
    expect(admitted).toBeLessThanOrEqual(balance);
    const after = await balanceNow();
    // The balance is negative by the usage beyond the reservations, less the part of the balance that was not reserved.
    expect(after.quota).toBe(balance - admitted - rows.reduce((sum, { beyond }) => sum + beyond, 0));
    expect(after.quota).toBeLessThan(0);
    expect(after.usedQuota - before.usedQuota).toBe(served * GREEDY_COST);

    const asked = weir.upstream.requests.length;
    const refused = await Promise.all(Array.from({ length: 20 }, (_, i) => ask(i % 2 ? "fake-gpt" : GREEDY)));
    expect(refused.filter((status) => status !== 429)).toEqual([]);
    await setBalance(0, "overdraft:zero");
    expect(await ask()).toBe(429);
    expect(weir.upstream.requests.length).toBe(asked);
    await setBalance(1_000, "overdraft:topped-up");
    const toppedUp = await balanceNow();
    expect(await ask()).toBe(200);
    await until(async () => (await balanceNow()).usedQuota > toppedUp.usedQuota, 5_000);
    expect((await reconcile(weir.database.sql)).differences).toEqual([]);
  }, 60_000);

  test("streams of an upstream that ignores max_tokens are ended, and leave the balance at zero or above", async () => {
    await setBalance(5_000, "overdraft:streams");
    const statuses = await Promise.all(Array.from({ length: 40 }, () => ask(GREEDY, true)));
    expect(statuses.filter((status) => status !== 200 && !REFUSED.has(status))).toEqual([]);
    const answered = statuses.filter((status) => status === 200).length;
    const streams = () =>
      weir.database.sql`select 1 from every_log where model_name = ${GREEDY} and is_stream and type = 2`;
    await until(async () => (await streams()).length === answered, 5_000);
    const [row] = await weir.database.sql<{ ended: number; beyond: number }[]>`
      select count(*) filter (where other ? 'ended_by_balance')::int as ended,
        coalesce(sum((other->>'beyond_reservation')::bigint), 0)::bigint as beyond
      from every_log where model_name = ${GREEDY} and is_stream`;
    expect(row?.ended).toBeGreaterThan(0);
    expect((await balanceNow()).quota).toBeGreaterThanOrEqual(-Number(row?.beyond));
    expect((await reconcile(weir.database.sql)).differences).toEqual([]);
  }, 60_000);

  test("what stays within its reservation is not marked", async () => {
    const rows = await weir.database.sql`
      select 1 from every_log where model_name = 'fake-gpt' and other ? 'beyond_reservation'`;
    expect(rows).toEqual([]);
  });
});
