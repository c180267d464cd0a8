import { randomUUID } from "node:crypto";
import type { IncomingMessage, Server, ServerResponse } from "node:http";
import { connect } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import { createDatabase, type DatabaseHandle } from "@/db/client";
import type { DurableIn } from "@/lib/billing/settle";
import { logger } from "@/lib/logger";
import type { Family } from "@/lib/metrics/family";
import { RelayMetrics } from "@/lib/metrics/relay-metrics";
import type { BodyPace, RefusalLimits } from "@/lib/relay";
import { type ClientAddress, createClientAddress, createRelay, NO_PAGE, type OnEnd, tellAll } from "@/lib/relay";
import type { Tracing } from "@/lib/relay/http/tracing";
import { createSnapshotStore, type Snapshot } from "@/lib/snapshot/store";
import { CONSOLE_LIMITS, type ConsoleLimits, createConsoleProxy } from "./console-proxy";
import { DATABASE_PATIENCE, type DatabasePatience } from "./database-patience";
import { drainServer } from "./drain";
import { type DrainPlan, planStop } from "./drain-limits";
import { protocolOf } from "./forwarded-headers";
import { startBilling } from "./gateway-billing";
import { createListener } from "./listener";
import { answerProbe, createReadiness, type Readiness } from "./readiness";

export type GatewaySettings = {
  databaseUrl: string;
  /** Where `databaseUrl` leads to a pooler: PostgreSQL itself. */
  directUrl?: string | undefined;
  consolePort?: number | undefined;
  consoleLimits?: Partial<ConsoleLimits>;
  /** TRUST_PROXY: reverse proxies whose forwarding headers are believed. */
  trustProxy?: string;
  bodyBytesMax?: number;
  bodyPace?: BodyPace;
  uploadFolder?: string;
  /** The clock of budgets, in unix seconds. */
  nowSeconds?: () => number;
  /** Where the journal of charges is kept; undefined = nowhere. */
  journalDirectory?: string | undefined;
  durableIn?: DurableIn | undefined;
  /** Sessions in which nothing runs end so long before the others when the gateway stops. */
  sessionGraceMs?: number;
  /** Whether requests are counted for /metrics. Default: no. */
  isMeasured?: boolean;
  /** Told of every request to the relay when it is over. */
  onEnd?: OnEnd | undefined;
  tracing?: Tracing | null;
  /** How many refused requests have a row of their own in the log. */
  refusalLimits?: Partial<RefusalLimits>;
  /** Called when something asks /readyz for the first time. */
  onProbed?: () => void;
  /** How `stop` ends the service where nothing else is said. */
  drain?: Partial<DrainPlan>;
  patience?: DatabasePatience;
};

export type Gateway = {
  server: Server;
  readiness: Readiness;
  /** For /metrics; see docs/operations/monitoring.md. */
  figures: () => Family[];
  /** The snapshot in force. */
  snapshot: () => Snapshot;
  /** Stops accepting requests, finishes those in flight, settles them and returns all leases. */
  stop: (plan?: DrainPlan) => Promise<void>;
  /** Another console listens at the console's port. */
  renewConsole: () => void;
};

const keyConnections = 2;
/** How long a start waits for the names in TRUST_PROXY. */
const NAMES_MS = 5_000;

/**
 * Creates the public server: it handles relay requests itself and streams everything else to the console. The caller
 * must call `listen`.
 */
export async function createGateway(settings: GatewaySettings): Promise<Gateway> {
  const { databaseUrl, directUrl, journalDirectory, trustProxy = "", patience = DATABASE_PATIENCE } = settings;
  const nodeId = randomUUID();
  const metrics = new RelayMetrics();
  const more = { directUrl, patience, flushes: metrics.flushes, durableIn: settings.durableIn };
  const billing = await startBilling(databaseUrl, nodeId, journalDirectory, more);
  const { sql, db, leaseBook, settler, stop: stopBilling } = billing;
  const keys = openKeyPool(settings, patience);
  const snapshot = createSnapshotStore({ sql, db, keySql: keys.sql, listening: patience.listening });
  const clientAddress = await openClientAddress(trustProxy);
  await snapshot.start();
  const relay = createRelay({
    sql,
    settler,
    leaseBook,
    snapshot,
    clientAddress,
    nodeId,
    onEnd: tellAll([settings.onEnd, settings.isMeasured ? metrics.countRequests(snapshot) : undefined]),
    ...relayOptions(settings),
  });
  const toConsole = createConsoleProxy(
    settings.consolePort,
    clientAddress,
    { ...CONSOLE_LIMITS, ...settings.consoleLimits },
    (request) =>
      protocolOf(request, clientAddress) === "https" || snapshot.current().options.ServerAddress.startsWith("https://"),
  );

  const readiness = createReadiness(settings.onProbed);
  const others = onlyServedMethods(toConsole);
  const server = createListener({
    relay: onlyServedMethods(relay),
    others: (request, response) => answerProbe(request, response, readiness) || others(request, response),
    upgrade: relay.upgrade,
  });
  server.once("listening", readiness.started);
  const pages = settings.consolePort === undefined ? null : watchConsoleStart(settings.consolePort);
  readiness.check(() => (pages?.hasStarted() === false ? "starting" : null));
  readiness.check(() => (leaseBook.isFenced() ? "fenced" : settler.hasRoom() ? null : "full"));

  async function stop(plan: DrainPlan = { ...planStop({ isProbed: false, isTyped: false }), ...settings.drain }) {
    // Who asks one process that is being replaced must not take the whole machine for one that stops.
    if (!plan.isReplaced) readiness.draining();
    pages?.stop();
    clientAddress.stop();
    await drainServer(
      {
        server,
        onClosing(endsAt) {
          // Answers wait no longer for a database that is away: their charges are in the journal, which others book.
          settler.hurry();
          relay.drainUntil(endsAt);
          toConsole.streams.endForGood();
        },
        onDeadline: relay.cutOff,
      },
      plan,
    );
    relay.cutOff();
    await relay.idle();
    await Promise.all([snapshot.stop(), relay.close(), toConsole.close()]);
    await Promise.all([stopBilling(), keys.end()]);
    logger.info("gateway stopped");
  }
  const figures = () => metrics.read({ ...billing, relay, snapshot });
  return { server, readiness, figures, snapshot: () => snapshot.current(), stop, renewConsole: toConsole.renew };
}

/** With the addresses of the names in TRUST_PROXY, if they can be had soon. */
async function openClientAddress(trustProxy: string): Promise<ClientAddress> {
  const onUnknown = (name: string, err: unknown): void =>
    logger.warn({ name, err }, "a name in TRUST_PROXY has no address yet");
  const clientAddress = createClientAddress(trustProxy, { onUnknown });
  await Promise.race([clientAddress.ready, delay(NAMES_MS, undefined, { ref: false })]);
  return clientAddress;
}

/** Anybody can cause a look-up by guessing keys, so these never wait in front of a wallet's statements. */
function openKeyPool(
  { databaseUrl, directUrl }: GatewaySettings,
  { keyStatementMs }: DatabasePatience,
): DatabaseHandle {
  return createDatabase({
    url: databaseUrl,
    directUrl,
    max: keyConnections,
    applicationName: "weir-gateway keys",
    statementTimeoutMs: keyStatementMs,
  });
}

/** What the caller has set; the relay has defaults for the rest. */
function relayOptions(settings: GatewaySettings) {
  const { bodyBytesMax, nowSeconds, uploadFolder, bodyPace, refusalLimits, sessionGraceMs, tracing } = settings;
  return {
    tracing,
    ...(bodyBytesMax === undefined ? {} : { bodyBytesMax }),
    ...(nowSeconds === undefined ? {} : { nowSeconds }),
    ...(uploadFolder === undefined ? {} : { uploadFolder }),
    ...(bodyPace === undefined ? {} : { bodyPace }),
    ...(refusalLimits === undefined ? {} : { refusalLimits }),
    ...(sessionGraceMs === undefined ? {} : { sessionGraceMs }),
  };
}

const RETRY_MS = 200;

/**
 * Whether the console has listened at its port: asks again and again until it has. One that dies later is started again,
 * and keeps nobody from the API.
 */
function watchConsoleStart(port: number): { hasStarted: () => boolean; stop: () => void } {
  let hasStarted = false;
  let isStopped = false;
  function ask(): void {
    if (isStopped) return;
    const socket = connect(port, "127.0.0.1");
    socket.once("connect", () => {
      hasStarted = true;
      socket.destroy();
    });
    socket.once("error", () => {
      setTimeout(ask, RETRY_MS).unref();
    });
  }
  ask();
  return {
    hasStarted: () => hasStarted,
    stop() {
      isStopped = true;
    },
  };
}

type Serve = (request: IncomingMessage, response: ServerResponse) => unknown;
type Listen = (request: IncomingMessage, response: ServerResponse) => void;

const SERVED = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"];

/**
 * Answers 405 to methods that nothing here serves, e.g. TRACE, which would send a caller's cookies back to a page that must
 * not read them, and which the console's request objects cannot hold.
 */
function onlyServedMethods(serve: Serve): Listen {
  return (request, response) => {
    if (SERVED.includes(request.method ?? "")) {
      serve(request, response);
      return;
    }
    const error = { message: `the method ${request.method} is not supported`, type: "invalid_request_error" };
    response.writeHead(405, {
      allow: SERVED.join(", "),
      "content-type": "application/json",
      ...NO_PAGE,
      connection: "close",
    });
    response.end(JSON.stringify({ success: false, message: error.message, error }));
    request.resume();
  };
}
