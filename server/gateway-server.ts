import { randomUUID } from "node:crypto";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { Duplex } from "node:stream";
import { createDatabase } from "@/db/client";
import { createLeaseBook } from "@/lib/billing/lease";
import { createSettler } from "@/lib/billing/settle";
import { logger } from "@/lib/logger";
import { createRelay } from "@/lib/relay";
import { createClientAddress } from "@/lib/relay/client-address";
import { defaultDialect } from "@/lib/relay/dialects";
import { isRelayPath } from "@/lib/relay/endpoints";
import { createSnapshotStore, type Snapshot } from "@/lib/snapshot/store";
import { createConsoleProxy } from "./console-proxy";
import { onlyServedMethods } from "./served-methods";

export type GatewaySettings = {
  databaseUrl: string;
  consolePort?: number | undefined;
  /** Comma-separated addresses of reverse proxies whose X-Forwarded-* headers are trusted. */
  trustProxy?: string;
  bodyBytesMax?: number;
  /** How long `stop` waits for streams to finish. */
  drainMs?: number;
};

export type Gateway = {
  server: Server;
  /** The snapshot in force. */
  snapshot: () => Snapshot;
  /** Stops accepting requests, finishes those in flight, settles them and returns all leases. */
  stop: () => Promise<void>;
};

const poolConnections = 6;
/** One for the flush in flight, the other for its retry when there is no reply. */
const settlingConnections = 2;
const settlementsQueuedMax = 20_000;
const headerBytesMax = 64 * 1_024;
const lingerMs = 2_000;
/** Streams still running after this are cut off and charged for what was delivered. Less than the supervisor's timeout. */
const drainMs = 22_000;

/**
 * Creates the public server: it handles relay requests itself and streams everything else to the console. The caller
 * must call `listen`.
 */
export async function createGateway(settings: GatewaySettings): Promise<Gateway> {
  const { databaseUrl, trustProxy = "" } = settings;
  const nodeId = randomUUID();
  const { sql, db, end } = createDatabase({ url: databaseUrl, max: poolConnections, applicationName: "weir-gateway" });
  const leaseBook = createLeaseBook({
    sql,
    nodeId,
    nodeName: `gateway ${process.pid}`,
    onError: (error) => logger.error({ err: error }, "a statement about a lease failed"),
  });
  // A separate pool for flushes: a shared pool would spread them over its connections. Here consecutive flushes use one
  // connection, whose PostgreSQL backend already has everything it needs in memory.
  const settling = createDatabase({
    url: databaseUrl,
    max: settlingConnections,
    applicationName: "weir-gateway settling",
  });
  const settler = createSettler({
    sql: settling.sql,
    nodeId,
    leaseBook,
    maxQueued: settlementsQueuedMax,
    onError: (error, settlements) => logger.error({ err: error, settlements }, "a flush failed and is tried again"),
  });
  const snapshot = createSnapshotStore({ url: databaseUrl, sql, db });
  const clientAddress = createClientAddress(trustProxy);
  await Promise.all([snapshot.start(), leaseBook.start()]);
  const relay = createRelay({
    sql,
    settler,
    leaseBook,
    snapshot,
    clientAddress,
    nodeId,
    ...(settings.bodyBytesMax === undefined ? {} : { bodyBytesMax: settings.bodyBytesMax }),
  });
  const toConsole = createConsoleProxy(settings.consolePort, clientAddress, trustProxy !== "");

  const server = createListener(onlyServedMethods(relay), onlyServedMethods(toConsole));

  async function stop(): Promise<void> {
    const closed = new Promise<void>((done) => server.close(() => done()));
    // Connections become idle only when their response ends, so close idle ones repeatedly.
    const sweep = setInterval(() => server.closeIdleConnections(), 100);
    const cutOff = setTimeout(() => server.closeAllConnections(), settings.drainMs ?? drainMs);
    server.closeIdleConnections();
    await closed;
    clearInterval(sweep);
    clearTimeout(cutOff);
    await relay.idle();
    await settler.drain();
    await leaseBook.stop();
    await Promise.all([snapshot.stop(), relay.close(), toConsole.close()]);
    await Promise.all([end(), settling.end()]);
    logger.info("gateway stopped");
  }
  return { server, snapshot: () => snapshot.current(), stop };
}

type Answer = (request: IncomingMessage, response: ServerResponse) => unknown;

function createListener(relay: Answer, toConsole: Answer): Server {
  const server = createServer({ maxHeaderSize: headerBytesMax, requestTimeout: 0 }, (request, response) => {
    if (isRelayPath(request.url ?? "/")) relay(request, response);
    else toConsole(request, response);
  });
  server.keepAliveTimeout = 75_000;
  server.headersTimeout = 60_000;
  server.on("upgrade", (_request, socket: Duplex) => refuse(socket, 426, "upgrades are not supported", true));
  server.on("clientError", (error: NodeJS.ErrnoException, socket: Duplex) => {
    const isTooLarge = error.code === "HPE_HEADER_OVERFLOW";
    refuse(
      socket,
      isTooLarge ? 431 : 400,
      isTooLarge ? "the request headers are too large" : "malformed request",
      false,
    );
  });
  return server;
}

const REASONS: Record<number, string> = {
  400: "Bad Request",
  426: "Upgrade Required",
  431: "Request Header Fields Too Large",
};

/**
 * Responds on a raw socket, then keeps reading for a moment: closing at once could reset the connection before the
 * client has read the response.
 */
function refuse(socket: Duplex, status: number, message: string, isQuiet: boolean): void {
  if (!socket.writable) return void socket.destroy();
  const wire = { message, type: "invalid_request_error", param: null, code: "invalid_request" };
  const body = Buffer.from(JSON.stringify(defaultDialect.caller.renderError(wire, status, randomUUID())));
  socket.on("error", () => {});
  socket.end(
    `HTTP/1.1 ${status} ${REASONS[status]}\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n` +
      `Connection: close\r\n\r\n${body.toString("utf8")}`,
  );
  if (!isQuiet) logger.debug({ status }, message);
  socket.resume();
  setTimeout(() => socket.destroy(), lingerMs).unref();
}
