import { randomUUID } from "node:crypto";
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from "vitest";
import {
  type BillingProcess,
  createBilledToken,
  createBilledUser,
  isReservation,
  settlementOf,
  startBillingProcess,
  sweepNodes,
} from "@/lib/testing/billing";
import { createTestDatabase, type TestDatabase } from "@/lib/testing/database";
import type { LeaseBookSettings, Refusal, Reservation } from "./lease";
import { announceTokenLimit, postLedgerEntry } from "./ledger";
import { reconcile } from "./reconcile";

let database: TestDatabase;
let processes: BillingProcess[] = [];

beforeAll(async () => {
  database = await createTestDatabase();
});
afterEach(async () => {
  vi.restoreAllMocks();
  await Promise.all(processes.map((process) => process.stop()));
  processes = [];
  expect((await reconcile(database.sql)).differences).toEqual([]);
  expect(await database.sql`select * from leases`).toEqual([]);
});
afterAll(() => database.drop());

async function start(settings: Partial<LeaseBookSettings> = {}): Promise<BillingProcess> {
  const started = await startBillingProcess(database.url, settings);
  processes.push(started);
  return started;
}

async function balanceOf(userId: number): Promise<{ quota: number; reserved: number; requests: number }> {
  const [row] = await database.sql<{ quota: number; reserved: number; requests: number }[]>`
    select quota, reserved, request_count as requests from users where id = ${userId}`;
  if (!row) throw new Error("no such user");
  return row;
}

describe("lease", () => {
  test("200 parallel requests on two processes for a balance that pays for 10: at most 10 served, each charged once", async () => {
    const userId = await createBilledUser(database, 1_000);
    const gateways = [await start(), await start()];
    const asked = Array.from({ length: 200 }, async (_, i) =>
      gateways[i % 2]?.leaseBook.reserve({ userId, tokenId: null, amount: 100 }),
    );
    const served = await Promise.all(
      asked.map(async (answer, i) => {
        const { settler } = gateways[i % 2] as BillingProcess;
        const reservation = await answer;
        if (!reservation || !isReservation(reservation)) return 0;
        // Keeps every admitted request in flight until all requests have been answered.
        await Promise.all(asked);
        await settler.settle(settlementOf({ userId, quota: 100, reservation }));
        return 1;
      }),
    );
    expect(served.filter(Boolean)).toHaveLength(10);
    expect(await balanceOf(userId)).toMatchObject({ quota: 0, requests: 10 });
  });

  test("a warm lease answers without the database and without a promise", async () => {
    const userId = await createBilledUser(database, 1_000_000);
    const { leaseBook } = await start();
    const first = await leaseBook.reserve({ userId, tokenId: null, amount: 100 });
    const second = leaseBook.reserve({ userId, tokenId: null, amount: 100 });
    expect(second).not.toBeInstanceOf(Promise);
    expect(isReservation(first)).toBe(true);
  });

  test("parallel requests on a balance that nobody holds join into one statement", async () => {
    const userId = await createBilledUser(database, 1_000_000);
    const { leaseBook } = await start();
    await Promise.all(Array.from({ length: 50 }, () => leaseBook.reserve({ userId, tokenId: null, amount: 100 })));
    // While the first statement ran, the other requests (50 × 100 in total) queued up. One statement per request would
    // have reserved far more.
    expect((await balanceOf(userId)).reserved).toBeLessThan(150_000);
  });

  test("a slice that one process holds unused comes back when another needs it", async () => {
    const userId = await createBilledUser(database, 1_000);
    const [a, b] = [await start(), await start()];
    const estimate = await a.leaseBook.reserve({ userId, tokenId: null, amount: 900 });
    if (!isReservation(estimate)) throw new Error("refused");
    await a.settler.settle(settlementOf({ userId, quota: 10, reservation: estimate }));
    expect(isReservation(await b.leaseBook.reserve({ userId, tokenId: null, amount: 900 }))).toBe(true);
  });

  test("a token's limit holds besides the balance, and its refusal gives the balance's part back", async () => {
    const userId = await createBilledUser(database, 100_000);
    const tokenId = await createBilledToken(database, userId, 300);
    const { leaseBook, settler } = await start();
    const outcomes = await Promise.all(
      Array.from({ length: 10 }, () => leaseBook.reserve({ userId, tokenId, amount: 100 })),
    );
    expect(outcomes.filter(isReservation)).toHaveLength(3);
    expect(outcomes.filter((outcome) => !isReservation(outcome))[0]).toEqual({ refused: "token", isHeld: true });
    await Promise.all(
      outcomes
        .filter(isReservation)
        .map((reservation) => settler.settle(settlementOf({ userId, tokenId, quota: 100, reservation }))),
    );
    const [token] = await database.sql`select remain_quota, used_quota, reserved from tokens where id = ${tokenId}`;
    expect(token).toEqual({ remain_quota: 0, used_quota: 300, reserved: 0 });
  });

  test("nothing is admitted without a balance, not even what is free", async () => {
    const userId = await createBilledUser(database, 0);
    const { leaseBook } = await start();
    expect(await leaseBook.reserve({ userId, tokenId: null, amount: 0 })).toEqual({ refused: "user" });
    expect(await leaseBook.reserve({ userId: 2 ** 31 - 1, tokenId: null, amount: 1 })).toEqual({ refused: "user" });
  });

  test("a released reservation can be reserved again, and releasing twice gives back once", async () => {
    const userId = await createBilledUser(database, 100);
    const { leaseBook } = await start();
    const reservation = await leaseBook.reserve({ userId, tokenId: null, amount: 100 });
    if (!isReservation(reservation)) throw new Error("refused");
    leaseBook.release(reservation);
    leaseBook.release(reservation);
    const outcomes = await Promise.all([1, 2].map(() => leaseBook.reserve({ userId, tokenId: null, amount: 100 })));
    expect(outcomes.filter(isReservation)).toHaveLength(1);
  });

  test("usage beyond its reservation is charged, and then nothing is admitted until the balance is positive", async () => {
    const userId = await createBilledUser(database, 1_000);
    const { leaseBook, settler } = await start();
    const reservation = await leaseBook.reserve({ userId, tokenId: null, amount: 100 });
    if (!isReservation(reservation)) throw new Error("refused");
    await settler.settle(settlementOf({ userId, quota: 1_500, reservation }));
    expect((await balanceOf(userId)).quota).toBe(-500);
    expect(await leaseBook.reserve({ userId, tokenId: null, amount: 0 })).toEqual({ refused: "user" });
    const grant = { userId, amount: 600, kind: "grant", actorId: null } as const;
    await postLedgerEntry(database.db, { ...grant, reference: randomUUID() });
    expect(isReservation(await leaseBook.reserve({ userId, tokenId: null, amount: 100 }))).toBe(true);
  });

  test("a balance that an administrator takes away stops admission on every process at once", async () => {
    const userId = await createBilledUser(database, 1_000_000);
    const { leaseBook } = await start();
    await leaseBook.reserve({ userId, tokenId: null, amount: 10 });
    const taken = { userId, amount: -1_000_000, kind: "adjustment", actorId: null } as const;
    await postLedgerEntry(database.db, { ...taken, reference: randomUUID() });
    await expect
      .poll(async () => await leaseBook.reserve({ userId, tokenId: null, amount: 10 }), { timeout: 1_000 })
      .toEqual({ refused: "user" });
  });

  test("a token's limit that its owner lowers stops admission on every process at once", async () => {
    const userId = await createBilledUser(database, 1_000_000);
    const tokenId = await createBilledToken(database, userId, 1_000_000);
    const { leaseBook } = await start();
    await leaseBook.reserve({ userId, tokenId, amount: 10 });
    await database.db.transaction(async (tx) => {
      await database.sql`update tokens set remain_quota = 5, granted_quota = 5 where id = ${tokenId}`;
      await announceTokenLimit(tx, userId, tokenId);
    });
    await expect
      .poll(async () => await leaseBook.reserve({ userId, tokenId, amount: 10 }), { timeout: 1_000 })
      .toEqual({ refused: "token" });
  });

  test("an idle slice goes back", async () => {
    const userId = await createBilledUser(database, 1_000_000);
    const { leaseBook } = await start({ heartbeatMs: 30, idleMs: 60 });
    const reservation = await leaseBook.reserve({ userId, tokenId: null, amount: 100 });
    if (!isReservation(reservation)) throw new Error("refused");
    await expect.poll(async () => (await balanceOf(userId)).reserved).toBe(100);
    leaseBook.release(reservation);
    await expect.poll(async () => (await balanceOf(userId)).reserved).toBe(0);
  });

  test("the slices of a process that died are swept, and those of a live one are not", async () => {
    const userId = await createBilledUser(database, 1_000_000);
    const dead = await startBillingProcess(database.url);
    const alive = await start();
    await dead.leaseBook.reserve({ userId, tokenId: null, amount: 100 });
    await alive.leaseBook.reserve({ userId, tokenId: null, amount: 100 });
    await dead.die();
    const [lease] = await database.sql`select amount from leases where node_id = ${alive.nodeId}`;
    expect(await sweepNodes(database.sql, [dead.nodeId])).toBe(1);
    expect((await balanceOf(userId)).reserved).toBe(lease?.amount);
  });

  test("a process that was swept while it slept drops its slices, registers anew, and its settlements still charge", async () => {
    const userId = await createBilledUser(database, 1_000);
    const { leaseBook, settler, nodeId } = await start({ heartbeatMs: 60_000 });
    const reservation = await leaseBook.reserve({ userId, tokenId: null, amount: 600 });
    if (!isReservation(reservation)) throw new Error("refused");
    await sweepNodes(database.sql, [nodeId]);
    // All 1,000 are free again in the database; the lease book finds out when it asks for more.
    const another = await leaseBook.reserve({ userId, tokenId: null, amount: 700 });
    expect(isReservation(another)).toBe(true);
    await settler.settle(settlementOf({ userId, quota: 600, reservation }));
    expect((await balanceOf(userId)).quota).toBe(400);
  });

  test("a process that cannot tell that it is alive admits nothing", async () => {
    const userId = await createBilledUser(database, 1_000_000);
    const { leaseBook, nodeId } = await start({ heartbeatMs: 60_000, fenceMs: 20_000 });
    await leaseBook.reserve({ userId, tokenId: null, amount: 100 });
    const later = performance.now() + 20_001;
    vi.spyOn(performance, "now").mockImplementation(() => later);
    await sweepNodes(database.sql, [nodeId]);
    expect(leaseBook.isFenced()).toBe(true);
    const outcome = leaseBook.reserve({ userId, tokenId: null, amount: 100 });
    expect(outcome).toBeInstanceOf(Promise);
    expect(isReservation(await outcome)).toBe(true);
    expect(leaseBook.isFenced()).toBe(false);
    expect(await database.sql`select 1 from nodes where id = ${nodeId}`).toHaveLength(1);
  });

  test("with the database away a warm lease still admits, and what needs the database is refused as unavailable", async () => {
    const userId = await createBilledUser(database, 1_000_000);
    const gateway = await startBillingProcess(database.url);
    await gateway.leaseBook.reserve({ userId, tokenId: null, amount: 100 });
    await gateway.die();
    expect(isReservation(await gateway.leaseBook.reserve({ userId, tokenId: null, amount: 100 }))).toBe(true);
    await expect(gateway.leaseBook.reserve({ userId: 1, tokenId: null, amount: 1 })).rejects.toThrow("unavailable");
    expect(await sweepNodes(database.sql, [gateway.nodeId])).toBe(1);
  });
});

describe("what a request takes of a balance", () => {
  test("what may be less takes half of a small balance, then what is fair, then what is left, and is refused below the least", async () => {
    const userId = await createBilledUser(database, 1_000);
    const { leaseBook } = await start();
    const want = { userId, tokenId: null, amount: 5_000, least: 50, fair: 200 };
    const amounts: unknown[] = [];
    for (let i = 0; i < 5; i++) {
      const outcome = await leaseBook.reserve(want);
      amounts.push(isReservation(outcome) ? outcome.amount : outcome);
    }
    expect(amounts).toEqual([500, 250, 200, 50, { refused: "user", isHeld: true }]);
  });

  test("what only running requests of the same process hold is not refused for good, what the balance cannot pay is", async () => {
    const userId = await createBilledUser(database, 1_000);
    const { leaseBook, settler } = await start();
    const running = await leaseBook.reserve({ userId, tokenId: null, amount: 900 });
    if (!isReservation(running)) throw new Error("refused");
    const ask = async (amount: number) => await leaseBook.reserve({ userId, tokenId: null, amount });
    expect(await Promise.all([1_001, 1_000, 1_001, 101].map(ask))).toEqual([
      { refused: "user" },
      { refused: "user", isHeld: true },
      { refused: "user" },
      { refused: "user", isHeld: true },
    ]);
    const settled = settler.settle(settlementOf({ userId, quota: 600, reservation: running }));
    // From the moment that its cost is known it can pay for nothing else, whether it is booked or not.
    expect(await Promise.all([401, 400].map(ask))).toMatchObject([{ refused: "user" }, { amount: 400 }]);
    await settled;
    expect(await ask(1)).toEqual({ refused: "user", isHeld: true });
  });

  test("the same for a token's limit", async () => {
    const userId = await createBilledUser(database, 100_000);
    const tokenId = await createBilledToken(database, userId, 300);
    const { leaseBook } = await start();
    await leaseBook.reserve({ userId, tokenId, amount: 200 });
    const ask = async (amount: number) => await leaseBook.reserve({ userId, tokenId, amount });
    expect(await ask(300)).toEqual({ refused: "token", isHeld: true });
    expect(await ask(301)).toEqual({ refused: "token" });
  });

  test("a request takes the most that it can need only where there is several times as much, so that others find something", async () => {
    const userId = await createBilledUser(database, 1_000_000);
    const { leaseBook } = await start();
    const want = { userId, tokenId: null, amount: 1_000, most: 30_000 };
    const outcomes: unknown[] = [];
    for (let i = 0; i < 300; i++) outcomes.push(await leaseBook.reserve(want));
    expect(outcomes.filter((outcome) => !isReservation(outcome as Reservation | Refusal))).toEqual([]);
  });

  test("a reservation grows while its request runs, up to what balance and token have, and is charged as one", async () => {
    const userId = await createBilledUser(database, 1_000);
    const tokenId = await createBilledToken(database, userId, 700);
    const { leaseBook, settler } = await start();
    const reservation = await leaseBook.reserve({ userId, tokenId, amount: 300 });
    if (!isReservation(reservation)) throw new Error("refused");
    expect(await leaseBook.extend(reservation, { amount: 100, least: 100, fair: 100 })).toBe(100);
    expect(await leaseBook.extend(reservation, { amount: 900, least: 10, fair: 10 })).toBeGreaterThanOrEqual(10);
    while (Number(await leaseBook.extend(reservation, { amount: 900, least: 1, fair: 1 })) > 0);
    expect(reservation.amount).toBe(700);
    await settler.settle(settlementOf({ userId, tokenId, quota: 700, reservation }));
    expect(await leaseBook.extend(reservation, { amount: 10, least: 1, fair: 1 })).toBe(0);
    expect((await balanceOf(userId)).quota).toBe(300);
  });

  test("a request that ended while its reservation was being extended gives the extension back", async () => {
    const userId = await createBilledUser(database, 1_000_000);
    const { leaseBook } = await start();
    const reservation = await leaseBook.reserve({ userId, tokenId: null, amount: 300 });
    if (!isReservation(reservation)) throw new Error("refused");
    const extended = leaseBook.extend(reservation, { amount: 400_000, least: 1, fair: 1 });
    leaseBook.release(reservation);
    expect(await extended).toBe(0);
  });

  test("500 requests that grow on two processes never hold more than the balance", async () => {
    const userId = await createBilledUser(database, 10_000);
    const gateways = [await start(), await start()];
    const held = await Promise.all(
      Array.from({ length: 500 }, async (_, i) => {
        const { leaseBook } = gateways[i % 2] as BillingProcess;
        const outcome = await leaseBook.reserve({ userId, tokenId: null, amount: 100, least: 10, fair: 20 });
        if (!isReservation(outcome)) return 0;
        for (let n = 0; n < 5; n++) await leaseBook.extend(outcome, { amount: 60, least: 5, fair: 5 });
        return outcome.amount;
      }),
    );
    const sum = held.reduce((total, amount) => total + amount, 0);
    expect(sum).toBeLessThanOrEqual(10_000);
    expect(sum).toBeGreaterThan(9_000);
    expect((await balanceOf(userId)).reserved).toBeGreaterThanOrEqual(sum);
  });
});
