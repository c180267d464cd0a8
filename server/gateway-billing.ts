import { createDatabase, type DatabaseHandle } from "@/db/client";
import { createLeaseBook, type LeaseBook } from "@/lib/billing/lease";
import { createLeaseStore } from "@/lib/billing/lease-queries";
import { createSettler, type DurableIn, type Settler } from "@/lib/billing/settle";
import { createSettlementStore } from "@/lib/billing/settlement-batch";
import { openProcessJournal } from "@/lib/billing/start-journal";
import { logger } from "@/lib/logger";
import type { FlushTotals } from "@/lib/metrics/flush-totals";
import { DATABASE_PATIENCE, type DatabasePatience } from "./database-patience";

/** The part of a gateway process that handles money; lib/billing/README.md describes it. */
export type GatewayBilling = DatabaseHandle & {
  leaseBook: LeaseBook;
  settler: Settler;
  /** What the journal has on the disk. */
  journalBytes: () => number;
  /** Books what is queued, returns all leases and disconnects. */
  stop: () => Promise<void>;
};

type BillingSettings = {
  /** Where `url` leads to a pooler: PostgreSQL itself. */
  directUrl?: string | undefined;
  patience?: DatabasePatience;
  flushes?: FlushTotals;
  durableIn?: DurableIn | undefined;
};

const poolConnections = 4;
/** Nothing else may stand in front of a request that waits for its first part of a balance. */
const leaseConnections = 3;
/** For the flush in flight, its retry when there is no reply, and settlements that are tried alone. */
const settlingConnections = 3;
const settlementsQueuedMax = 20_000;
/** A row that somebody else locks for longer must not keep the other charges waiting. */
const lockTimeoutMs = 2_000;

/** `journalDirectory`: undefined = no journal. */
export async function startBilling(
  url: string,
  nodeId: string,
  journalDirectory: string | undefined,
  { directUrl, patience = DATABASE_PATIENCE, flushes, durableIn = "journal" }: BillingSettings = {},
): Promise<GatewayBilling> {
  const { statementMs: statementTimeoutMs, leaseStatementMs, leaseRetryMs, listening } = patience;
  const pool = { url, directUrl };
  const handle = createDatabase({ ...pool, max: poolConnections, applicationName: "weir-gateway", statementTimeoutMs });
  const forLeases = { ...pool, applicationName: "weir-gateway leases", statementTimeoutMs: leaseStatementMs };
  const leases = createDatabase({ ...forLeases, max: leaseConnections });
  // A heartbeat that waited behind something else would fence this process.
  const beats = createDatabase({ ...forLeases, max: 1, applicationName: "weir-gateway heartbeat" });
  const leaseBook = createLeaseBook({
    store: createLeaseStore(leases.sql, beats.sql, listening),
    nodeId,
    nodeName: `gateway ${process.pid}`,
    retryMs: leaseRetryMs,
    onError: (error) => logger.error({ err: error }, "a statement about a lease failed"),
  });
  // A separate pool for flushes: a shared pool would spread them over its connections. Here consecutive flushes use one
  // connection, whose PostgreSQL backend already has everything it needs in memory. Never through a pooler: it has a time
  // limit for locks of its own, and its statement stays prepared.
  const settling = createDatabase({
    url: directUrl ?? url,
    max: settlingConnections,
    applicationName: "weir-gateway settling",
    statementTimeoutMs,
    lockTimeoutMs,
  });
  const journaling = journalDirectory ? await openProcessJournal(settling.sql, journalDirectory, nodeId) : null;
  const settler = createSettler({
    store: createSettlementStore(settling.sql),
    nodeId,
    leaseBook,
    ...(journaling ? { journal: journaling.journal } : {}),
    durableIn,
    maxQueued: settlementsQueuedMax,
    ...(flushes ? { onFlush: flushes.flushed } : {}),
    onError(error, settlements) {
      flushes?.failed();
      logger.error({ err: error, settlements }, "a flush failed and is tried again");
    },
  });
  await leaseBook.start();
  journaling?.replayInto(settler);
  async function stop(): Promise<void> {
    await journaling?.stopReplays();
    await settler.drain();
    // With the database away the leases are swept later.
    await leaseBook.stop().catch((error: unknown) => logger.error({ err: error }, "leases stay until they are swept"));
    await journaling?.journal.close();
    await Promise.all([handle.end(), leases.end(), beats.end(), settling.end()]);
  }
  return { ...handle, leaseBook, settler, journalBytes: () => journaling?.journal.bytes() ?? 0, stop };
}
