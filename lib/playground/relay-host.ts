import { randomUUID } from "node:crypto";
import { createServer, type IncomingMessage, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { Pool } from "undici";
import { createDatabase, type Sql } from "@/db/client";
import { createLeaseBook } from "@/lib/billing/lease";
import { createLeaseStore } from "@/lib/billing/lease-queries";
import { createSettler } from "@/lib/billing/settle";
import { createSettlementStore } from "@/lib/billing/settlement-batch";
import { openProcessJournal } from "@/lib/billing/start-journal";
import { env } from "@/lib/env";
import { logger } from "@/lib/logger";
import type { Family } from "@/lib/metrics/family";
import { RelayMetrics } from "@/lib/metrics/relay-metrics";
import type { Caller } from "@/lib/relay";
import { createClientAddress, createRelay, createRequestLog, tellAll } from "@/lib/relay";
import { processTracing } from "@/lib/relay/http/tracing";
import { createRequestLines } from "@/lib/request-lines";
import { TOKEN_STATUS } from "@/lib/row-status";
import type { UserRow } from "@/lib/snapshot/queries";
import { createSnapshotStore } from "@/lib/snapshot/store";

const HOST = "127.0.0.1";
const POOL_CONNECTIONS = 3;
const STATEMENT_TIMEOUT_MS = 7_000;
const CALLS = 64;
/** More than the relay sends at a time, so that it is the relay that refuses the next one. */
const FILES = 96;
/** Identifies the user to the relay; each value is known only to this process and valid for one request. */
const PASS_HEADER = "x-weir-playground";

export type RelayHost = {
  /** Connections to the relay of this process. */
  pool: Pool;
  /** Others for files: players hold them for minutes. */
  files: Pool;
  /** The headers that make the next request run as this user in this group. */
  admit(user: UserRow, group: string, clientIp: string): Record<string, string>;
  /** What still runs gets an error, and ends. */
  cutOff(): void;
  /** For /metrics. */
  figures(): Family[];
  stop(): Promise<void>;
};

const DATABASE = {
  max: POOL_CONNECTIONS,
  applicationName: "weir-playground",
  statementTimeoutMs: STATEMENT_TIMEOUT_MS,
};

const holder = globalThis as typeof globalThis & { weirRelayHost?: Promise<RelayHost> };

/**
 * The relay inside the console, for signed-in users without an API key: the same pipeline, leases and settlement as in
 * a gateway, on its own loopback port. Started by the first request.
 */
export function relayHost(): Promise<RelayHost> {
  holder.weirRelayHost ??= startRelayHost().catch((error: unknown) => {
    delete holder.weirRelayHost;
    throw error;
  });
  return holder.weirRelayHost;
}

const onError = (error: unknown) => logger.error({ err: error }, "the playground's relay met an error");

/** The part that handles money, as a gateway process has it. */
async function startBilling(sql: Sql, nodeId: string, { flushes }: RelayMetrics) {
  const { WEIR_JOURNAL_DIR: directory, WEIR_DURABLE_CHARGE: durableIn } = env();
  const nodeName = `playground ${process.pid}`;
  const leaseBook = createLeaseBook({ store: createLeaseStore(sql), nodeId, nodeName, onError });
  const journaling = directory ? await openProcessJournal(sql, directory, nodeId) : null;
  const settler = createSettler({
    store: createSettlementStore(sql),
    nodeId,
    leaseBook,
    ...(journaling ? { journal: journaling.journal } : {}),
    durableIn,
    onFlush: flushes.flushed,
    onError,
  });
  await leaseBook.start();
  journaling?.replayInto(settler);
  async function stop(): Promise<void> {
    await journaling?.stopReplays();
    await settler.drain();
    await leaseBook.stop().catch(onError);
    await journaling?.journal.close();
  }
  return { leaseBook, settler, journalBytes: () => journaling?.journal.bytes() ?? 0, stop };
}

async function startRelayHost(): Promise<RelayHost> {
  const { DATABASE_URL: url, DATABASE_DIRECT_URL: directUrl, WEIR_METRICS_PORT, WEIR_REQUEST_LOG: share } = env();
  if (!url) throw new Error("DATABASE_URL is not set");
  const nodeId = randomUUID();
  const { sql, db, end } = createDatabase({ ...DATABASE, url, directUrl });
  const metrics = new RelayMetrics();
  const snapshot = createSnapshotStore({ sql, db });
  const [{ leaseBook, settler, journalBytes, stop: stopBilling }] = await Promise.all([
    startBilling(sql, nodeId, metrics),
    snapshot.start(),
  ]);
  const passes = new Map<string, Caller>();
  const relay = createRelay({
    sql,
    settler,
    leaseBook,
    snapshot,
    nodeId,
    tracing: processTracing(),
    clientAddress: createClientAddress(HOST),
    identify: (request) => takePass(passes, request),
    onEnd: tellAll([
      createRequestLog({ lines: createRequestLines(), share }),
      WEIR_METRICS_PORT === undefined ? undefined : metrics.countRequests(snapshot),
    ]),
  });
  const server = createServer({ requestTimeout: 0 }, relay);
  const origin = await listen(server);
  const pool = new Pool(origin, { connections: CALLS, pipelining: 1 });
  const files = new Pool(origin, { connections: FILES, pipelining: 1 });
  return {
    pool,
    files,
    admit: (user, group, clientIp) => issuePass(passes, callerOf(user, group), clientIp),
    cutOff() {
      settler.hurry();
      relay.cutOff();
    },
    figures: () => metrics.read({ relay, settler, leaseBook, snapshot, journalBytes }),
    async stop() {
      delete holder.weirRelayHost;
      settler.hurry();
      await Promise.all([pool.close(), files.destroy()]);
      relay.cutOff();
      await new Promise<void>((resolve) => server.close(() => resolve()));
      await relay.idle();
      await relay.close();
      await stopBilling();
      await snapshot.stop();
      await end();
    },
  };
}

function issuePass(passes: Map<string, Caller>, caller: Caller, clientIp: string): Record<string, string> {
  const pass = randomUUID();
  passes.set(pass, caller);
  return { [PASS_HEADER]: pass, "x-forwarded-for": clientIp };
}

function takePass(passes: Map<string, Caller>, request: IncomingMessage): Caller | null {
  const pass = String(request.headers[PASS_HEADER] ?? "");
  const caller = passes.get(pass) ?? null;
  passes.delete(pass);
  return caller;
}

/** A token that is not stored: it charges the user's balance, and the log names it playground-{group} (console §2.23). */
function callerOf(user: UserRow, group: string): Caller {
  return {
    user,
    pinnedChannel: null,
    token: {
      id: 0,
      userId: user.id,
      keyHint: "",
      status: TOKEN_STATUS.enabled,
      name: `playground-${group}`,
      expiredTime: -1,
      unlimitedQuota: true,
      modelLimitsEnabled: false,
      modelLimits: "",
      models: new Set(),
      operationLimits: "",
      operations: new Set(),
      allowIps: "",
      addresses: [],
      denyIps: "",
      blockedAddresses: [],
      group,
      rateLimitCount: 0,
      rateLimitSeconds: 60,
      rateLimitMessage: "",
      tokensPerMinute: 0,
      concurrencyLimit: 0,
      budgetDay: 0,
      budgetWeek: 0,
      budgetMonth: 0,
      captureUntil: 0,
    },
  };
}

async function listen(server: Server): Promise<string> {
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    // Two consoles run while one replaces the other, and node:cluster would give them one port.
    server.listen({ port: 0, host: HOST, exclusive: true }, resolve);
  });
  // This server must not keep the console process running.
  server.unref();
  return `http://${HOST}:${(server.address() as AddressInfo).port}`;
}
