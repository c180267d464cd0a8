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

export type GatewaySettings = {
  databaseUrl: string;
  consolePort?: number | undefined;
  /** Addresses of reverse proxies whose X-Forwarded-* are believed, comma-separated. */
  trustProxy?: string;
  bodyBytesMax?: number;
  /** How long `stop` waits for streams to end. */
  drainMs?: number;
};

export type Gateway = {
  server: Server;
  /** What it decides by at this moment. */
  snapshot: () => Snapshot;
  /** Takes nothing new, finishes what is in flight, settles it and gives every lease back. */
  stop: () => Promise<void>;
};

const poolConnections = 6;
/** One for the flush in flight, another for its repetition should the answer not come. */
const settlingConnections = 2;
const settlementsQueuedMax = 20_000;
const headerBytesMax = 64 * 1_024;
const lingerMs = 2_000;
/** Streams that take longer to end are cut off and charged for what was delivered; below the supervisor's patience. */
const drainMs = 22_000;

/** The public listener: the relay natively, everything else streamed to the console. The caller makes it listen. */
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
  // Connections of a pool take turns. On connections of their own flushes follow each other on one, and the server process
  // behind it has all that it needs at hand.
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

  const server = createListener(relay, toConsole);

  async function stop(): Promise<void> {
    const closed = new Promise<void>((done) => server.close(() => done()));
    // A connection that has just answered is idle only now.
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

type Answer = (request: IncomingMessage, response: ServerResponse) => void;

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

/** Answers on a bare socket, then reads on for a moment so that the answer is not lost in a reset. */
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
