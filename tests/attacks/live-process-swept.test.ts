// Who: nobody in particular: an outage of the database, a clock that jumps, a fail-over to a replica that lags, a process
// that dies with the quota of somebody small; and two payments that lock the same accounts in opposite order.
// What must hold: only a process that was watched being silent is swept; what a fail-over lost of a lease comes back, and
// what it gave twice is not spent twice; a caller whose quota others merely hold is told to come again.
import { randomUUID } from "node:crypto";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { reconcile } from "@/lib/billing/reconcile";
import { createNodeSweeper, createSweepStore, leaveNode } from "@/lib/billing/sweep";
import {
  type BillingProcess,
  createBilledUser,
  isReservation,
  settlementOf,
  startBillingProcess,
} from "@/lib/testing/billing";
import { createTestDatabase, type TestDatabase } from "@/lib/testing/database";
import { until } from "@/lib/testing/until";
import { creditOrder } from "@/lib/topup/order-commands";
import { startRelay } from "../relay/harness";

let database: TestDatabase;
let processes: BillingProcess[] = [];

beforeAll(async () => {
  database = await createTestDatabase();
});
afterEach(async () => {
  await Promise.all(processes.map((process) => process.stop()));
  processes = [];
  expect((await reconcile(database.sql)).differences).toEqual([]);
  expect(await database.sql`select * from leases`).toEqual([]);
});
afterAll(() => database.drop());

async function start(settings = {}): Promise<BillingProcess> {
  const started = await startBillingProcess(database.url, settings);
  processes.push(started);
  return started;
}

const reservedOf = async (userId: number) =>
  Number((await database.sql`select reserved from users where id = ${userId}`)[0]?.reserved);

describe("the sweeper", () => {
  const isKnown = async (id: string) => (await database.sql`select 1 from nodes where id = ${id}`).length === 1;
  const addNode = async () => {
    const id = randomUUID();
    await database.sql`insert into nodes (id, heartbeat_at) values (${id}, now() - interval '1 day')`;
    return id;
  };

  test("a heartbeat that looks old, as after an outage or a jump of the clock, is not proof of death", async () => {
    const id = await addNode();
    const sweep = createNodeSweeper({ now: () => 0 });
    expect([await sweep(createSweepStore(database.sql)), await isKnown(id)]).toEqual([0, true]);
    await leaveNode(database.sql, id);
  });

  test("only a heartbeat that stood still for 30 s on the sweeper's own clock is", async () => {
    const [silent, alive] = [await addNode(), await addNode()];
    let nowMs = 0;
    const sweep = createNodeSweeper({ now: () => nowMs });
    for (; nowMs < 30_000; nowMs += 5_000) {
      await database.sql`update nodes set heartbeat_at = heartbeat_at - interval '1 hour' where id = ${alive}`;
      expect(await sweep(createSweepStore(database.sql))).toBe(0);
    }
    expect(await sweep(createSweepStore(database.sql))).toBe(1);
    expect([await isKnown(silent), await isKnown(alive)]).toEqual([false, true]);
    await leaveNode(database.sql, alive);
  });

  test("after a gap in which it saw nothing the watch begins anew", async () => {
    const id = await addNode();
    let nowMs = 0;
    const sweep = createNodeSweeper({ now: () => nowMs });
    for (nowMs of [0, 10_000, 20_000, 60_000, 70_000, 80_000])
      expect(await sweep(createSweepStore(database.sql))).toBe(0);
    nowMs = 90_000;
    expect(await sweep(createSweepStore(database.sql))).toBe(1);
    expect(await isKnown(id)).toBe(false);
  });

  test("of a process that was swept nothing is booked before it has registered again", async () => {
    const userId = await createBilledUser(database, 1_000);
    const { settler, nodeId } = await start({ heartbeatMs: 60_000 });
    await leaveNode(database.sql, nodeId);
    await settler.settle(settlementOf({ userId, quota: 30 }));
    expect(await isKnown(nodeId)).toBe(true);
  });
});

describe("after a fail-over that lost the latest commits", () => {
  test("a return that was lost is returned again, also of a slice that the process has forgotten", async () => {
    const [kept, forgotten] = [await createBilledUser(database, 10_000), await createBilledUser(database, 10_000)];
    const { leaseBook, nodeId, sql } = await start({ heartbeatMs: 20, idleMs: 20 });
    const reservation = await leaseBook.reserve({ userId: kept, tokenId: null, amount: 100 });
    await until(async () => (await reservedOf(kept)) === 100);
    for (const userId of [kept, forgotten]) {
      await sql`
        insert into leases (node_id, user_id, token_id, amount) values (${nodeId}, ${userId}, 0, 500)
        on conflict (node_id, user_id, token_id) do update set amount = leases.amount + 500`;
      await sql`update users set reserved = reserved + 500 where id = ${userId}`;
    }
    await until(async () => (await reservedOf(forgotten)) === 0);
    if (!isReservation(reservation)) throw new Error("refused");
    leaseBook.release(reservation);
    await leaseBook.reserve({ userId: kept, tokenId: null, amount: 100 });
    await until(async () => (await reservedOf(kept)) === 100);
  });

  test("what the row of a slice in use holds too much is returned", async () => {
    const userId = await createBilledUser(database, 10_000);
    const { leaseBook, nodeId, sql } = await start({ heartbeatMs: 20, idleMs: 60_000 });
    await leaseBook.reserve({ userId, tokenId: null, amount: 100 });
    await sql`update leases set amount = amount + 500 where node_id = ${nodeId} and user_id = ${userId}`;
    await sql`update users set reserved = reserved + 500 where id = ${userId}`;
    await until(async () => (await reservedOf(userId)) === 100);
  });

  test("what a grant gave whose reply was lost serves the next request", async () => {
    const userId = await createBilledUser(database, 1_000);
    const { leaseBook, nodeId, sql } = await start({ heartbeatMs: 60_000 });
    await sql`insert into leases (node_id, user_id, token_id, amount) values (${nodeId}, ${userId}, 0, 900)`;
    await sql`update users set reserved = 900 where id = ${userId}`;
    expect(await leaseBook.reserve({ userId, tokenId: null, amount: 500 })).toMatchObject({ amount: 500 });
    expect(await reservedOf(userId)).toBe(900);
  });

  test("a grant that was lost is not spent twice", async () => {
    const userId = await createBilledUser(database, 1_000);
    const [a, b] = [await start({ heartbeatMs: 60_000 }), await start({ heartbeatMs: 60_000 })];
    const first = await a.leaseBook.reserve({ userId, tokenId: null, amount: 900 });
    if (!isReservation(first)) throw new Error("refused");
    a.leaseBook.release(first);
    await database.sql`delete from leases where node_id = ${a.nodeId}`;
    await database.sql`update users set reserved = 0 where id = ${userId}`;
    expect(isReservation(await b.leaseBook.reserve({ userId, tokenId: null, amount: 1_000 }))).toBe(true);
    // The connection that carries notices is lost in a fail-over, which makes every slice ask again.
    await database.sql`
      select pg_terminate_backend(pid) from pg_stat_activity
      where datname = current_database() and application_name = 'weir-listen balances'`;
    const isServed = async () => {
      const reservation = await a.leaseBook.reserve({ userId, tokenId: null, amount: 900 });
      // Given back, so that only what the database says can refuse the next one.
      if (isReservation(reservation)) a.leaseBook.release(reservation);
      return isReservation(reservation);
    };
    await expect.poll(isServed, { timeout: 10_000 }).toBe(false);
  });
});

describe("quota that others merely hold", () => {
  test("a small payer whose rest a dead process holds gets 503 with Retry-After; one who has nothing left gets 429", async () => {
    const relay = await startRelay({ channels: [{}] });
    try {
      const caller = await relay.addCaller({ balance: 1_000 });
      const dead = await startBillingProcess(relay.database.url);
      await dead.leaseBook.reserve({ userId: caller.user, tokenId: null, amount: 900 });
      await dead.die();
      const body = JSON.stringify({
        model: "fake-gpt",
        messages: [{ role: "user", content: "hi" }],
        max_tokens: 300,
        n: 16,
      });
      const held = await relay.post(caller.token.key, body);
      expect([held.status, held.headers.get("retry-after"), held.wire.error.code]).toEqual([
        503,
        "5",
        "quota_reserved",
      ]);
      const poor = await relay.addCaller({ balance: 100 });
      expect((await relay.post(poor.token.key, body)).status).toBe(429);
      await leaveNode(relay.database.sql, dead.nodeId);
      expect((await relay.post(caller.token.key, body)).status).toBe(200);
    } finally {
      await relay.close();
    }
  });
});

test("a payment and a settlement that touch the same inviter and invitee cannot deadlock", async () => {
  const inviter = await createBilledUser(database, 0);
  const invitee = await createBilledUser(database, 0);
  await database.sql`update users set inviter_id = ${inviter} where id = ${invitee}`;
  await database.sql`insert into options (key, value) values ('AffiliateDividendPercent', '10')`;
  await database.sql`
    insert into top_ups (user_id, amount, money, quota, trade_no, payment_method, provider)
    values (${invitee}, 1, 1, 500, 'T1', 'alipay', 'epay')`;
  let credit: ReturnType<typeof creditOrder> | undefined;
  await database.sql.begin(async (tx) => {
    // As a settlement does: both accounts, by ascending id.
    await tx`select 1 from users where id = ${inviter} for no key update`;
    credit = creditOrder(database.db, { tradeNo: "T1", provider: "epay", cents: 100 });
    await until(async () => {
      const waiting = await database.sql`
        select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;
      return waiting.length > 0;
    });
    await tx`set local lock_timeout = '500ms'`;
    await tx`select 1 from users where id = ${invitee} for no key update`;
  });
  expect(await credit).toMatchObject({ outcome: "credited" });
});
