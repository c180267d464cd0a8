import { randomUUID } from "node:crypto";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import {
  type BillingProcess,
  createBilledChannel,
  createBilledToken,
  createBilledUser,
  isReservation,
  settlementOf,
  startBillingProcess,
} from "@/lib/testing/billing";
import { createTestDatabase, type TestDatabase } from "@/lib/testing/database";
import { startDatabaseProxy } from "@/lib/testing/database-proxy";
import { readingLog } from "@/lib/testing/log-store";
import { until } from "@/lib/testing/until";
import { postLedgerEntry } from "./ledger";
import { reconcile } from "./reconcile";
import { createSettler } from "./settle";
import { createSettlementStore } from "./settlement-batch";
import { leaveNode } from "./sweep";

let database: TestDatabase;
let gateway: BillingProcess;

beforeAll(async () => {
  database = await createTestDatabase();
  gateway = await startBillingProcess(database.url, { lingerMs: 0 });
});
afterEach(async () => {
  expect((await reconcile(database.sql)).differences).toEqual([]);
});
afterAll(async () => {
  await gateway.stop();
  await database.drop();
});

async function one(query: Promise<readonly Record<string, unknown>[]>): Promise<Record<string, unknown>> {
  const [row] = await query;
  if (!row) throw new Error("no row");
  return row;
}

const userRow = (id: number) =>
  one(database.sql`select quota, used_quota, request_count, reserved from users where id = ${id}`);

const logOf = (userId: number) =>
  readingLog(database.sql, async () => [...(await database.sql`select * from usage_logs where user_id = ${userId}`)]);

async function reserve(userId: number, amount: number, tokenId: number | null = null) {
  const outcome = await gateway.leaseBook.reserve({ userId, tokenId, amount });
  if (!isReservation(outcome)) throw new Error(`refused: ${outcome.refused}`);
  return outcome;
}

test("what waits for its commit is bounded in bytes too, with the answers that wait for it", async () => {
  let commit: () => void = () => {};
  const committed = new Promise<void>((resolve) => {
    commit = resolve;
  });
  const settler = createSettler({
    store: {
      book: async (_nodeId, rows) => {
        await committed;
        return { inserted: rows.length, charges: [] };
      },
      keepRefused: async () => {},
    },
    nodeId: randomUUID(),
    leaseBook: { settleAt() {}, applied() {}, rejoin: async () => {} },
    maxQueuedBytes: 10_000,
  });
  const first = settler.settle(settlementOf({ userId: 1, quota: 1, reservation: null }), 5_000);
  expect(settler.hasRoom()).toBe(true);
  const second = settler.settle(settlementOf({ userId: 1, quota: 1, reservation: null }), 5_000);
  expect(settler.hasRoom()).toBe(false);
  expect(settler.queuedBytes()).toBeGreaterThan(10_000);
  commit();
  await Promise.all([first, second]);
  expect(settler.queuedBytes()).toBe(0);
  expect(settler.hasRoom()).toBe(true);
});

describe("settle", () => {
  test("one settlement is booked everywhere in one go: log, user, token, channel, lease and hour", async () => {
    const userId = await createBilledUser(database, 1_000);
    const tokenId = await createBilledToken(database, userId, 500);
    const channelId = await createBilledChannel(database);
    const reservation = await reserve(userId, 100, tokenId);
    const createdAt = 1_790_000_123;
    await gateway.settler.settle(
      settlementOf({
        userId,
        tokenId,
        channelId,
        quota: 40,
        reservation,
        createdAt,
        other: { "a'b": ["\\u0000 \u{1F600}"] },
      }),
    );
    expect(await userRow(userId)).toMatchObject({ quota: 960, used_quota: 40, request_count: 1 });
    expect(await one(database.sql`select * from tokens where id = ${tokenId}`)).toMatchObject({
      remain_quota: 460,
      used_quota: 40,
      accessed_time: createdAt,
    });
    expect(await one(database.sql`select used_quota from channels where id = ${channelId}`)).toEqual({
      used_quota: 40,
    });
    expect(await one(database.sql`select * from usage_hourly where user_id = ${userId}`)).toMatchObject({
      hour: 1_789_999_200,
      count: 1,
      quota: 40,
      prompt_tokens: 3,
      completion_tokens: 4,
    });
    const logged = await logOf(userId);
    expect(logged).toHaveLength(1);
    expect(logged[0]).toMatchObject({
      type: 2,
      quota: 40,
      created_at: createdAt,
      other: { "a'b": ["\\u0000 \u{1F600}"] },
    });
  });

  test("replaying a settlement changes nothing, in the same flush, in a later one and from another process", async () => {
    const userId = await createBilledUser(database, 1_000);
    const reservation = await reserve(userId, 100);
    const settlement = settlementOf({ userId, quota: 40, reservation });
    await Promise.all([gateway.settler.settle(settlement), gateway.settler.settle(settlement)]);
    await gateway.settler.settle({ ...settlement, quota: settlementOf({ userId, quota: 99 }).quota });
    const other = await startBillingProcess(database.url);
    await other.settler.settle({ ...settlement, reservation: null });
    await other.stop();
    expect(await userRow(userId)).toMatchObject({ quota: 960, used_quota: 40, request_count: 1 });
  });

  test("a failed request is logged and counts nowhere", async () => {
    const userId = await createBilledUser(database, 1_000);
    const reservation = await reserve(userId, 100);
    await gateway.settler.settle(settlementOf({ userId, quota: 0, type: 5, reservation }));
    expect(await userRow(userId)).toMatchObject({ quota: 1_000, used_quota: 0, request_count: 0 });
    expect(await logOf(userId)).toMatchObject([{ type: 5 }]);
    expect(await database.sql`select 1 from usage_hourly where user_id = ${userId}`).toEqual([]);
  });

  test("a free request counts as a request", async () => {
    const userId = await createBilledUser(database, 1_000);
    await gateway.settler.settle(settlementOf({ userId, quota: 0 }));
    expect(await userRow(userId)).toMatchObject({ quota: 1_000, used_quota: 0, request_count: 1 });
  });

  test("text that PostgreSQL cannot store does not keep a charge from being booked", async () => {
    const userId = await createBilledUser(database, 1_000);
    await Promise.all([
      gateway.settler.settle(
        settlementOf({ userId, quota: 1, tokenName: "n\0ame\ud800", content: "x\0", other: { "k\0": "\udc00" } }),
      ),
      gateway.settler.settle(settlementOf({ userId, quota: 2, username: "ü".repeat(100), clientIp: "f".repeat(99) })),
    ]);
    expect(await userRow(userId)).toMatchObject({ quota: 997, request_count: 2 });
  });

  test("a settlement the database will never take is kept apart alone; its company is booked", async () => {
    const userId = await createBilledUser(database, 1_000);
    const outcomes = await Promise.allSettled(
      [1, 2, 3].map((quota) =>
        gateway.settler.settle(
          settlementOf({
            userId,
            quota,
            createdAt: quota === 2 ? Number.MAX_SAFE_INTEGER : 1_790_000_000,
            channelId: quota === 2 ? 2 ** 40 : 0,
          }),
        ),
      ),
    );
    expect(outcomes.map((outcome) => outcome.status)).toEqual(["fulfilled", "fulfilled", "fulfilled"]);
    expect(await userRow(userId)).toMatchObject({ quota: 996, request_count: 2 });
  });

  test("a connection killed in the middle of a flush: retried, charged once", async () => {
    const userId = await createBilledUser(database, 1_000);
    const reservations = [await reserve(userId, 100), await reserve(userId, 100)];
    let settled: Promise<unknown> = Promise.resolve();
    await database.sql.begin(async (tx) => {
      await tx`select 1 from users where id = ${userId} for update`;
      settled = Promise.all(
        reservations.map((reservation) => gateway.settler.settle(settlementOf({ userId, quota: 30, reservation }))),
      );
      await until(async () => {
        const killed = await database.sql`
          select pg_terminate_backend(pid) from pg_stat_activity
          where application_name = 'weir-test-gateway' and wait_event_type = 'Lock'
            and datname = current_database()`;
        return killed.length > 0;
      });
    });
    await settled;
    expect(await userRow(userId)).toMatchObject({ quota: 940, used_quota: 60, request_count: 2 });
  });

  test("an answer lost after the commit: retried, charged once, one log row, and no more admitted than the balance holds", async () => {
    const proxy = await startDatabaseProxy(database.url);
    const errors: unknown[] = [];
    const behindProxy = await startBillingProcess(proxy.url, { lingerMs: 0, onError: (error) => errors.push(error) });
    const userId = await createBilledUser(database, 1_000);
    const reservation = await behindProxy.leaseBook.reserve({ userId, tokenId: null, amount: 1_000 });
    if (!isReservation(reservation)) throw new Error(`refused: ${reservation.refused}`);
    proxy.loseAnswers("weir_book_", 2);
    await behindProxy.settler.settle(settlementOf({ userId, quota: 600, reservation }));
    // Both attempts with a lost reply failed; the third got its reply.
    expect([proxy.lost(), errors.length]).toEqual([2, 2]);
    expect(await userRow(userId)).toMatchObject({ quota: 400, used_quota: 600, request_count: 1 });
    expect(await logOf(userId)).toMatchObject([{ type: 2, quota: 600 }]);
    const outcomes = await Promise.all(
      Array.from({ length: 10 }, () => behindProxy.leaseBook.reserve({ userId, tokenId: null, amount: 100 })),
    );
    expect(outcomes.filter(isReservation)).toHaveLength(4);
    await behindProxy.leaseBook.stop();
    await behindProxy.die();
    await proxy.close();
  });

  test("the queue says when it is full, and drains in the end", async () => {
    const userId = await createBilledUser(database, 1_000);
    const settings = { nodeId: gateway.nodeId, leaseBook: gateway.leaseBook, maxQueued: 2 };
    const settler = createSettler({ store: createSettlementStore(gateway.sql), ...settings });
    expect(settler.hasRoom()).toBe(true);
    await database.sql.begin(async (tx) => {
      // The flush waits for this row lock, so both settlements stay in the queue during the check.
      await tx`select 1 from users where id = ${userId} for update`;
      void settler.settle(settlementOf({ userId, quota: 1 }));
      void settler.settle(settlementOf({ userId, quota: 1 }));
      expect([settler.hasRoom(), settler.queued()]).toEqual([false, 2]);
    });
    await settler.drain();
    expect([settler.hasRoom(), settler.queued()]).toEqual([true, 0]);
    expect(await userRow(userId)).toMatchObject({ quota: 998 });
  });

  test("what is not a charge is a fault of the caller", () => {
    const settlement = settlementOf({ userId: 1, quota: 1 });
    expect(() => gateway.settler.settle({ ...settlement, type: 5 })).toThrow(RangeError);
    expect(() => settlementOf({ userId: 1, quota: 0.5 })).toThrow(RangeError);
  });

  test("a flush that is full enough does not wait for more company", async () => {
    const patient = await startBillingProcess(database.url, { lingerMs: 20_000 });
    const userId = await createBilledUser(database, 1_000);
    const startedAt = performance.now();
    await Promise.all(Array.from({ length: 48 }, () => patient.settler.settle(settlementOf({ userId, quota: 1 }))));
    expect(performance.now() - startedAt).toBeLessThan(10_000);
    expect(await userRow(userId)).toMatchObject({ used_quota: 48, request_count: 48 });
    await patient.stop();
  });

  test("mixed load of settlements, leases, grants and sweeps never deadlocks and adds up", async () => {
    const userIds = await Promise.all(Array.from({ length: 6 }, () => createBilledUser(database, 3_000)));
    const tokenIds = await Promise.all(userIds.map((userId) => createBilledToken(database, userId, 2_000)));
    const channelIds = await Promise.all([1, 2, 3].map(() => createBilledChannel(database)));
    const errors: unknown[] = [];
    const onError = (error: unknown) => errors.push(error);
    const settings = { onError, heartbeatMs: 20, idleMs: 20, lingerMs: 0 };
    const gateways = await Promise.all([1, 2, 3].map(() => startBillingProcess(database.url, settings)));
    const deadlocksBefore = await deadlocks();
    const pick = (length: number) => Math.floor(Math.random() * length);
    let charged = 0;
    const callers = Array.from({ length: 60 }, async () => {
      for (let i = 0; i < 15; i++) {
        const n = pick(6);
        const process = gateways[pick(3)] as BillingProcess;
        const [userId, tokenId] = [userIds[n] as number, tokenIds[n] as number];
        const outcome = await process.leaseBook.reserve({ userId, tokenId: i % 2 ? tokenId : null, amount: pick(200) });
        if (!isReservation(outcome)) continue;
        if (i % 5 === 0) process.leaseBook.release(outcome);
        const quota = i % 5 === 0 ? 0 : Math.min(outcome.amount, pick(40));
        const channelId = channelIds[pick(3)] as number;
        charged += quota;
        await process.settler.settle(
          settlementOf({ userId, tokenId: i % 2 ? tokenId : 0, channelId, quota, reservation: outcome }),
        );
      }
    });
    const others = [0, 1, 2].map(async (lane) => {
      for (let i = lane; i < 30; i += 3) {
        const userId = userIds[i % 6] as number;
        const entry = { userId, amount: i % 3 ? 50 : -50, kind: "adjustment", actorId: null } as const;
        await postLedgerEntry(database.db, { ...entry, reference: randomUUID() });
        // What the sweep does to a process that looks dead.
        if (i % 10 === 9) await leaveNode(database.sql, (gateways[lane] as BillingProcess).nodeId);
      }
    });
    await Promise.all([...callers, ...others]);
    await Promise.all(gateways.map((process) => process.stop()));
    expect(errors).toEqual([]);
    expect((await deadlocks()) - deadlocksBefore).toBe(0);
    const { sum } = await one(
      database.sql`select sum(used_quota)::bigint as sum from users where id = any(${userIds})`,
    );
    expect(sum).toBe(charged);
    const { least } = await one(database.sql`select min(quota) as least from users where id = any(${userIds})`);
    expect(least).toBeGreaterThanOrEqual(-150);
  });
});

async function deadlocks(): Promise<number> {
  await database.sql`select pg_stat_force_next_flush()`;
  const row = await one(database.sql`select deadlocks from pg_stat_database where datname = current_database()`);
  return Number(row.deadlocks);
}
