// All callers of all processes share a channel's row. A flush that waited for it would keep the charges of everybody else
// waiting, and the ends of their answers; one that does not wait must still count every charge once.
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import {
  type BillingProcess,
  createBilledChannel,
  createBilledUser,
  settlementOf,
  startBillingProcess,
} from "@/lib/testing/billing";
import { createTestDatabase, type TestDatabase } from "@/lib/testing/database";
import { addChannelCharges } from "./channel-charge-commands";
import { reconcile } from "./reconcile";

let database: TestDatabase;
let processes: BillingProcess[] = [];
let channelId: number;

beforeAll(async () => {
  database = await createTestDatabase();
});
beforeEach(async () => {
  channelId = await createBilledChannel(database);
});
afterEach(async () => {
  await Promise.all(processes.map((process) => process.stop()));
  processes = [];
  expect((await reconcile(database.sql)).differences).toEqual([]);
});
afterAll(() => database.drop());

async function start(): Promise<BillingProcess> {
  const started = await startBillingProcess(database.url, { lingerMs: 0, lockTimeoutMs: 2_000 });
  processes.push(started);
  return started;
}

const charge = async ({ settler }: BillingProcess, quota: number) =>
  settler.settle(
    settlementOf({ userId: await createBilledUser(database, 1_000), channelId, quota, reservation: null }),
  );

const usedQuota = async () =>
  (await database.sql<{ used: number }[]>`select used_quota as used from channels where id = ${channelId}`)[0]?.used;
const aside = async () => Number((await database.sql`select count(*) as count from channel_charges`)[0]?.count);

/** Runs while somebody else locks the channel's row. */
async function whileLocked(work: () => Promise<void>): Promise<void> {
  await database.sql.begin(async (tx) => {
    await tx`select 1 from channels where id = ${channelId} for update`;
    await work();
  });
}

test("a charge does not wait for a channel that another process locks; its next charge adds both", async () => {
  const gateway = await start();
  await whileLocked(async () => {
    await charge(gateway, 30);
    await charge(gateway, 20);
  });
  expect(await usedQuota()).toBe(0);
  expect((await reconcile(database.sql)).differences).toEqual([]);
  await charge(gateway, 5);
  expect(await usedQuota()).toBe(55);
  expect(await aside()).toBe(0);
});

test("what a process put aside and never came back to is added by the job, once", async () => {
  const gateways = [await start(), await start()] as const;
  await whileLocked(async () => {
    await Promise.all(gateways.map((gateway) => charge(gateway, 30)));
  });
  expect(await aside()).toBe(2);
  expect(await addChannelCharges(database.sql)).toBe(2);
  expect(await usedQuota()).toBe(60);
  expect(await addChannelCharges(database.sql)).toBe(0);
  expect(await aside()).toBe(0);
});

test("four processes that charge one channel at once lose nothing", async () => {
  const gateways = await Promise.all(Array.from({ length: 4 }, start));
  const adding = addChannelCharges(database.sql);
  await Promise.all(gateways.flatMap((gateway) => Array.from({ length: 25 }, () => charge(gateway, 3))));
  await adding;
  await addChannelCharges(database.sql);
  expect(await usedQuota()).toBe(300);
});

test("charges of a channel that was deleted meanwhile are let go", async () => {
  const gateway = await start();
  await whileLocked(() => charge(gateway, 30));
  await database.sql`delete from channels where id = ${channelId}`;
  expect(await addChannelCharges(database.sql)).toBe(1);
  expect(await aside()).toBe(0);
});
