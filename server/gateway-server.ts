import { randomUUID } from "node:crypto";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { Duplex } from "node:stream";
import { createDatabase } from "@/db/client";
import { logger } from "@/lib/logger";
import { createRelay } from "@/lib/relay";
import { createClientAddress } from "@/lib/relay/client-address";
import { defaultDialect } from "@/lib/relay/dialects";
import { isRelayPath } from "@/lib/relay/endpoints";
import type { BodyPace } from "@/lib/relay/limits/body-deadline";
import type { RefusalLimits } from "@/lib/relay/refusals/refusal-log";
import { createSnapshotStore, type Snapshot } from "@/lib/snapshot/store";
import { CONSOLE_LIMITS, type ConsoleLimits, createConsoleProxy } from "./console-proxy";
import { startBilling } from "./gateway-billing";
import { onlyServedMethods } from "./served-methods";

export type GatewaySettings = {
  databaseUrl: string;
  consolePort?: number | undefined;
  consoleLimits?: Partial<ConsoleLimits>;
  /** Comma-separated addresses of reverse proxies whose X-Forwarded-* headers are trusted. */
  trustProxy?: string;
  bodyBytesMax?: number;
  bodyPace?: BodyPace;
  uploadFolder?: string;
  /** The clock of budgets, in unix seconds. */
  nowSeconds?: () => number;
  /** Where the journal of charges is kept; undefined = nowhere. */
  journalDirectory?: string | undefined;
  /** How long sessions may go on with what runs in them when the gateway stops. */
  sessionGraceMs?: number;
  /** How many refused requests have a row of their own in the log. */
  refusalLimits?: Partial<RefusalLimits>;
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

const keyConnections = 2;
const headerBytesMax = 64 * 1_024;
/** How long the headers of a request may take, from its first byte or from the connection on. */
const headersMs = 20_000;
const lingerMs = 2_000;
/** The latest moment for the last byte of any request; the relay's own deadlines for bodies are shorter. */
const requestMs = 330_000;
/** Streams still running after this are cut off and charged for what was delivered. Less than the supervisor's timeout. */
const drainMs = 22_000;

/**
 * Creates the public server: it handles relay requests itself and streams everything else to the console. The caller
 * must call `listen`.
 */
export async function createGateway(settings: GatewaySettings): Promise<Gateway> {
  const { databaseUrl, journalDirectory, trustProxy = "" } = settings;
  const nodeId = randomUUID();
  const { sql, db, leaseBook, settler, stop: stopBilling } = await startBilling(databaseUrl, nodeId, journalDirectory);
  // Anybody can cause a look-up by guessing keys, so these never wait in front of a wallet's statements.
  const keys = createDatabase({ url: databaseUrl, max: keyConnections, applicationName: "weir-gateway keys" });
  const snapshot = createSnapshotStore({ url: databaseUrl, sql, db, keySql: keys.sql });
  const clientAddress = createClientAddress(trustProxy);
  await snapshot.start();
  const relay = createRelay({
    sql,
    settler,
    leaseBook,
    snapshot,
    clientAddress,
    nodeId,
    ...(settings.bodyBytesMax === undefined ? {} : { bodyBytesMax: settings.bodyBytesMax }),
    ...(settings.nowSeconds === undefined ? {} : { nowSeconds: settings.nowSeconds }),
    ...(settings.uploadFolder === undefined ? {} : { uploadFolder: settings.uploadFolder }),
    ...(settings.bodyPace === undefined ? {} : { bodyPace: settings.bodyPace }),
    ...(settings.refusalLimits === undefined ? {} : { refusalLimits: settings.refusalLimits }),
    ...(settings.sessionGraceMs === undefined ? {} : { sessionGraceMs: settings.sessionGraceMs }),
  });
  const toConsole = createConsoleProxy(settings.consolePort, clientAddress, {
    ...CONSOLE_LIMITS,
    ...settings.consoleLimits,
  });

  const server = createListener(onlyServedMethods(relay), onlyServedMethods(toConsole), relay.upgrade);

  async function stop(): Promise<void> {
    settler.hurry();
    relay.hurry();
    const closed = new Promise<void>((done) => server.close(() => done()));
    // Connections become idle only when their response ends, so close idle ones repeatedly.
    const sweep = setInterval(() => server.closeIdleConnections(), 100);
    const cutOff = setTimeout(() => server.closeAllConnections(), settings.drainMs ?? drainMs);
    server.closeIdleConnections();
    await closed;
    clearInterval(sweep);
    clearTimeout(cutOff);
    await relay.idle();
    await Promise.all([snapshot.stop(), relay.close(), toConsole.close()]);
    await Promise.all([stopBilling(), keys.end()]);
    logger.info("gateway stopped");
  }
  return { server, snapshot: () => snapshot.current(), stop };
}

type Answer = (request: IncomingMessage, response: ServerResponse) => unknown;
type Upgrade = (request: IncomingMessage, socket: Duplex, head: Buffer) => boolean;

function createListener(relay: Answer, toConsole: Answer, upgrade: Upgrade): Server {
  const server = createServer(
    { maxHeaderSize: headerBytesMax, requestTimeout: requestMs, connectionsCheckingInterval: 5_000 },
    (request, response) => {
      if (isRelayPath(request.url ?? "/")) relay(request, response);
      else toConsole(request, response);
    },
  );
  // The relay asks for the body only when it has found nothing to refuse.
  server.on("checkContinue", (request, response) => {
    if (isRelayPath(request.url ?? "/")) relay(request, response);
    else {
      response.writeContinue();
      toConsole(request, response);
    }
  });
  server.keepAliveTimeout = 75_000;
  server.headersTimeout = headersMs;
  server.on("upgrade", (request, socket: Duplex, head: Buffer) => {
    if (!upgrade(request, socket, head)) refuse(socket, 426, "upgrades are not supported", true);
  });
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
