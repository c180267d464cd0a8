import { randomUUID } from "node:crypto";
import { createDatabase, type Sql } from "@/db/client";
import { createLeaseBook, type LeaseBook, type LeaseBookSettings } from "@/lib/billing/lease";
import { createLeaseStore } from "@/lib/billing/lease-queries";
import { postLedgerEntry } from "@/lib/billing/ledger";
import { toQuota } from "@/lib/billing/quota";
import { createSettler, type Settler, type SettlerSettings } from "@/lib/billing/settle";
import { createSettlementStore } from "@/lib/billing/settlement-batch";
import { createNodeSweeper } from "@/lib/billing/sweep";
import type { Refusal, Reservation, Settlement } from "@/lib/billing/types";
import type { TestDatabase } from "./database";

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
    swept += await sweep(sql);
  }
  return swept;
}

/** A settlement of a finished request; fields not given have default values. */
export function settlementOf(
  given: Partial<Omit<Settlement, "quota">> & { userId: number; quota: number },
): Settlement {
  return {
    requestId: randomUUID(),
    createdAt: Math.floor(Date.now() / 1000),
    type: 2,
    username: "test",
    tokenId: 0,
    tokenName: "",
    channelId: 0,
    modelName: "gpt-4o",
    group: "default",
    usage: {
      promptTokens: 3,
      completionTokens: 4,
      cachedTokens: 0,
      cacheWriteTokens: 0,
      audioPromptTokens: 0,
      audioCompletionTokens: 0,
      estimated: false,
    },
    useTimeMs: 5,
    firstTokenMs: null,
    isStream: false,
    reservation: null,
    content: "",
    other: { model_ratio: 1 },
    clientIp: "127.0.0.1",
    hidden: false,
    ...given,
    quota: toQuota(given.quota),
  };
}

export function isReservation(outcome: Reservation | Refusal): outcome is Reservation {
  return !("refused" in outcome);
}
