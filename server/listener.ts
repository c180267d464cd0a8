import { randomUUID } from "node:crypto";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { Duplex } from "node:stream";
import { logger } from "@/lib/logger";
import { isForRelay, NO_PAGE } from "@/lib/relay";
import { defaultDialect } from "@/lib/relay/wire";

const headerBytesMax = 64 * 1_024;
/** How long the headers of a request may take, from its first byte or from the connection on. */
const headersMs = 20_000;
const lingerMs = 2_000;
/** The latest moment for the last byte of any request; the relay's own deadlines for bodies are shorter. */
const requestMs = 330_000;
/** Requests that a connection may have sent ahead of their turn. No browser sends any; one more closes the connection. */
const AHEAD_MAX = 32;

type Answer = (request: IncomingMessage, response: ServerResponse) => unknown;
type Upgrade = (request: IncomingMessage, socket: Duplex, head: Buffer) => boolean;
type Answers = { relay: Answer; others: Answer; upgrade: Upgrade };

/** The public port: requests of the relay go to it, all others to the console, one at a time of each connection. */
export function createListener({ relay, others, upgrade }: Answers): Server {
  const answer: Answer = (request, response) => {
    const reason = whyUnclear(request);
    if (reason !== null) refuseUnclear(response, reason);
    else if (isForRelay(request)) relay(request, response);
    else others(request, response);
  };
  const server = createServer(
    { maxHeaderSize: headerBytesMax, requestTimeout: requestMs, connectionsCheckingInterval: 5_000 },
    oneAtATime(answer),
  );
  // The relay asks for the body only when it has found nothing to refuse.
  server.on(
    "checkContinue",
    oneAtATime((request, response) => {
      if (!isForRelay(request)) response.writeContinue();
      answer(request, response);
    }),
  );
  server.keepAliveTimeout = 75_000;
  server.headersTimeout = headersMs;
  server.on("upgrade", (request: IncomingMessage, socket: Busy, head: Buffer) => {
    // What is written to the socket itself would stand in the middle of the answer before it.
    if (isBusy(socket) || whyUnclear(request) !== null) socket.destroy();
    else if (!upgrade(request, socket, head)) endSocket(socket, 426, "upgrades are not supported", true);
  });
  server.on("clientError", (error: NodeJS.ErrnoException, socket: Busy) => {
    if (isBusy(socket)) return void socket.destroy();
    const isTooLarge = error.code === "HPE_HEADER_OVERFLOW";
    const message = isTooLarge ? "the request headers are too large" : "malformed request";
    endSocket(socket, isTooLarge ? 431 : 400, message, false);
  });
  return server;
}

type Ahead = { response: ServerResponse; answer: () => unknown };
/** The answer that a connection is at, and the requests that it has sent ahead. */
type Turn = { current: ServerResponse; ahead: Ahead[] };
type Busy = Duplex & { weirTurn?: Turn };

function isBusy({ weirTurn }: Busy): boolean {
  return weirTurn !== undefined && !weirTurn.current.closed;
}

/** Node hands over every request of a connection as it arrives, so that one connection could have hundreds in work at once. */
function oneAtATime(answer: Answer): (request: IncomingMessage, response: ServerResponse) => void {
  return (request, response) => {
    const socket: Busy = request.socket;
    const turn = socket.weirTurn;
    if (turn === undefined) socket.weirTurn = { current: response, ahead: [] };
    else if (turn.current.closed) turn.current = response;
    else {
      if (turn.ahead.length === 0) turn.current.once("close", () => takeNext(socket, turn));
      if (turn.ahead.length >= AHEAD_MAX) socket.destroy();
      else turn.ahead.push({ response, answer: () => answer(request, response) });
      return;
    }
    answer(request, response);
  };
}

function takeNext(socket: Busy, turn: Turn): void {
  const next = turn.ahead.shift();
  if (!next || socket.destroyed) return;
  turn.current = next.response;
  next.answer();
  if (turn.ahead.length > 0) turn.current.once("close", () => takeNext(socket, turn));
}

/**
 * Why it is not clear what a request asks for; null = it is. A target with a host of its own is taken as its path where it
 * names the host that the request is for.
 */
function whyUnclear(request: IncomingMessage): string | null {
  if (hasTwoHosts(request.rawHeaders)) return "the request has more than one Host header";
  const { url = "", method, headers } = request;
  if (url.startsWith("/") || (url === "*" && method === "OPTIONS")) return null;
  const [whole, host, path = ""] = /^https?:\/\/([^/?#]*)(.*)$/is.exec(url) ?? [];
  if (whole === undefined || host?.toLowerCase() !== headers.host?.toLowerCase())
    return "the target of the request is not a path of this host";
  request.url = path.startsWith("/") ? path : `/${path}`;
  return null;
}

function hasTwoHosts(rawHeaders: readonly string[]): boolean {
  let hosts = 0;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at];
    if (name?.length === 4 && name.toLowerCase() === "host") hosts += 1;
  }
  return hosts > 1;
}

const REASONS: Record<number, string> = {
  400: "Bad Request",
  426: "Upgrade Required",
  431: "Request Header Fields Too Large",
};
const NO_PAGE_LINES = Object.entries(NO_PAGE)
  .map(([name, value]) => `${name}: ${value}\r\n`)
  .join("");

function bodyOf(message: string, status: number): Buffer {
  const wire = { message, type: "invalid_request_error", param: null, code: "invalid_request" };
  return Buffer.from(JSON.stringify(defaultDialect.client.renderError(wire, status, randomUUID())));
}

function refuseUnclear(response: ServerResponse, reason: string): void {
  const body = bodyOf(reason, 400);
  response.writeHead(400, {
    "content-type": "application/json",
    "content-length": body.length,
    "cache-control": "no-store",
    ...NO_PAGE,
    connection: "close",
  });
  response.end(body);
}

/**
 * Responds on a raw socket, then keeps reading for a moment: closing at once could reset the connection before the
 * client has read the response.
 */
function endSocket(socket: Duplex, status: number, message: string, isQuiet: boolean): void {
  if (!socket.writable) return void socket.destroy();
  const body = bodyOf(message, status);
  socket.on("error", () => {});
  socket.end(
    `HTTP/1.1 ${status} ${REASONS[status]}\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n` +
      `${NO_PAGE_LINES}Connection: close\r\n\r\n${body.toString("utf8")}`,
  );
  if (!isQuiet) logger.debug({ status }, message);
  socket.resume();
  setTimeout(() => socket.destroy(), lingerMs).unref();
}
