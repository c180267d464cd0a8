import { randomUUID } from "node:crypto";
import { createDatabase, type Sql } from "@/db/client";
import { createLeaseBook, type LeaseBook, type LeaseBookSettings } from "@/lib/billing/lease";
import { createLeaseStore } from "@/lib/billing/lease-queries";
import { postLedgerEntry } from "@/lib/billing/ledger";
import { createSettler, type Settler, type SettlerSettings } from "@/lib/billing/settle";
import { createSettlementStore } from "@/lib/billing/settlement-batch";
import { createNodeSweeper, createSweepStore } from "@/lib/billing/sweep";
import type { TestDatabase } from "./database";

export { costOf, isReservation, settlementOf } from "./settlement";

/** Creates a user whose balance has a ledger entry. */
export async function createBilledUser({ sql, db }: TestDatabase, balance: number): Promise<number> {
  const [user] = await sql<{ id: number }[]>`
    insert into users (username) values (${randomUUID()}) returning id`;
  if (!user) throw new Error("no user");
  if (balance !== 0) {
    const reference = `test:${randomUUID()}`;
    await postLedgerEntry(db, { userId: user.id, amount: balance, kind: "grant", reference, actorId: null });
  }
  return user.id;
}

/** `limit`: null = unlimited. */
export async function createBilledToken({ sql }: TestDatabase, userId: number, limit: number | null): Promise<number> {
  const [token] = await sql<{ id: number }[]>`
    insert into tokens (user_id, name, key_hash, key_cipher, key_hint, remain_quota, unlimited_quota)
    values (${userId}, 'test', ${randomUUID()}, '', '', ${limit ?? 0}, ${limit === null}) returning id`;
  if (!token) throw new Error("no token");
  return token.id;
}

export async function createBilledChannel({ sql }: TestDatabase): Promise<number> {
  const [channel] = await sql<{ id: number }[]>`
    insert into channels (name, key_cipher) values ('test', '') returning id`;
  if (!channel) throw new Error("no channel");
  return channel.id;
}

export type BillingProcess = {
  sql: Sql;
  nodeId: string;
  leaseBook: LeaseBook;
  settler: Settler;
  /** Drains, releases the leases and disconnects, as a gateway does. */
  stop(): Promise<void>;
  /** Disconnects without cleanup, as kill -9 does. */
  die(): Promise<void>;
};

type ProcessSettings = Partial<Omit<LeaseBookSettings & SettlerSettings, "store">> & { lockTimeoutMs?: number };

/** The billing part of a gateway process: its own node id, pool, lease book and settler. */
export async function startBillingProcess(
  url: string,
  { lockTimeoutMs, ...settings }: ProcessSettings = {},
): Promise<BillingProcess> {
  const database = createDatabase({
    url,
    max: 4,
    applicationName: "weir-test-gateway",
    ...(lockTimeoutMs === undefined ? {} : { lockTimeoutMs }),
  });
  const nodeId = randomUUID();
  const leaseBook = createLeaseBook({ ...settings, store: createLeaseStore(database.sql), nodeId });
  const settler = createSettler({ ...settings, store: createSettlementStore(database.sql), nodeId, leaseBook });
  await leaseBook.start();
  return {
    sql: database.sql,
    nodeId,
    leaseBook,
    settler,
    async stop() {
      await settler.drain();
      await leaseBook.stop();
      await database.end();
    },
    die: () => database.sql.end({ timeout: 0 }),
  };
}

/**
 * Sweeps these nodes on a clock of its own, on which 30 s pass at once, while all others send heartbeats. Resolves to the
 * number of swept nodes.
 */
export async function sweepNodes(sql: Sql, deadIds: string[]): Promise<number> {
  let nowMs = 0;
  const sweep = createNodeSweeper({ now: () => nowMs });
  let swept = 0;
  for (; nowMs <= 30_000; nowMs += 10_000) {
    await sql`update nodes set heartbeat_at = clock_timestamp() where id <> all(${deadIds}::uuid[])`;
    swept += await sweep(createSweepStore(sql));
  }
  return swept;
}
