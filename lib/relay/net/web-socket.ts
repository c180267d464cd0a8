import type { IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";
import { type buildConnector, Dispatcher } from "undici";
import { WebSocket } from "ws";

/** A longer message fails the response. */
const MESSAGE_BYTES_MAX = 10 * 1_048_576;
/** How long the upstream has to answer our close. */
const closeMs = 1_000;
const NEWLINE = 0x0a;
const SPACE = 0x20;
const NORMAL_CLOSURE = 1_000;
const NO_STATUS = 1_005;

/** Each message is a line. */
const HEADERS = ["content-type", "application/x-ndjson"].map((text) => Buffer.from(text));

/** Where WebSockets go, and what connects them. */
export type WebSocketOrigin = {
  origin: string;
  connector: buildConnector.connector;
  /** The most that the handshake may take. */
  connectMs: number;
};

/** Opens a WebSocket through the connector, so that its guards and its proxy hold. */
export function openWebSocket(
  { origin, connector, connectMs }: WebSocketOrigin,
  path: string,
  headers: Record<string, string>,
  bytesMax: number,
): WebSocket {
  return new WebSocket(`${origin}${path}`, {
    headers,
    createConnection: (_options: unknown, callback: unknown) => connectTo(origin, connector, callback),
    handshakeTimeout: connectMs,
    closeTimeout: closeMs,
    maxPayload: bytesMax,
    perMessageDeflate: false,
  } as WebSocket.ClientOptions);
}

/** The library's types know only sockets that are there at once; Node.js takes later ones too. */
function connectTo(origin: string, connector: buildConnector.connector, callback: unknown): never {
  const { protocol, hostname, port, host } = new URL(origin);
  const done = callback as (error: Error | null, socket?: Duplex) => void;
  connector(
    { protocol: protocol === "wss:" ? "https:" : "http:", hostname: hostname.replace(/^\[|\]$/g, ""), port, host },
    (error, socket) => (error ? done(error) : done(null, socket ?? undefined)),
  );
  return undefined as never;
}

/** The connection was lost, or closed with an error. */
class WebSocketClosed extends Error {
  readonly code = "UND_ERR_SOCKET";
}

/**
 * One request over a WebSocket, for those who send requests over HTTP: the body is sent as one text message, and each
 * message that arrives is a line of the answer, whose status is 200. A refused handshake is an answer with that status.
 * It counts as connected when the handshake is over.
 */
export class WebSocketRequest extends Dispatcher {
  private readonly origin: string;
  private readonly connector: buildConnector.connector;
  private readonly connectMs: number;
  private socket: WebSocket | null = null;
  private handler: Dispatcher.DispatchHandler | null = null;
  private body: Buffer | string = "";
  private hasHeaders = false;
  private isOver = false;

  /** `connectMs`: the most that the handshake may take. */
  constructor(origin: string, connector: buildConnector.connector, connectMs: number) {
    super();
    this.origin = origin;
    this.connectMs = connectMs;
    this.connector = connector;
  }

  override dispatch({ path, headers, body }: Dispatcher.DispatchOptions, handler: Dispatcher.DispatchHandler): boolean {
    this.handler = handler;
    this.body = Buffer.isBuffer(body) || typeof body === "string" ? body : "";
    const { origin, connector, connectMs } = this;
    this.socket = openWebSocket({ origin, connector, connectMs }, path, namedHeaders(headers), MESSAGE_BYTES_MAX);
    this.socket
      .on("open", this.onOpen)
      .on("message", this.onMessage)
      .on("unexpected-response", this.onRefused)
      .on("close", this.onClose)
      .on("error", this.onError);
    return true;
  }

  private readonly onOpen = (): void => {
    this.handler?.onConnect?.(this.abort);
    if (!this.isOver) this.socket?.send(this.body, { binary: false });
  };

  private readonly onMessage = (data: WebSocket.RawData): void => {
    if (this.isOver) return;
    if (!this.hasHeaders) this.begin(200, HEADERS, () => this.socket?.resume());
    if (!this.isOver && this.handler?.onData?.(lineOf(data)) === false) this.socket?.pause();
  };

  private begin(status: number, headers: Buffer[], resume: () => void): void {
    this.hasHeaders = true;
    this.handler?.onHeaders?.(status, headers, resume, "");
  }

  /** The handshake was answered like a usual request. */
  private readonly onRefused = (_request: unknown, response: IncomingMessage): void => {
    if (this.isOver) return;
    const { statusCode = 502, rawHeaders } = response;
    response.on("error", this.onError).on("close", () => {
      if (!response.complete) this.fail(new WebSocketClosed("the connection was closed in mid-answer"));
    });
    this.handler?.onConnect?.(this.abort);
    if (this.isOver) return;
    this.begin(
      statusCode,
      rawHeaders.map((text) => Buffer.from(text, "latin1")),
      () => response.resume(),
    );
    response.on("data", (chunk: Buffer) => {
      if (!this.isOver && this.handler?.onData?.(chunk) === false) response.pause();
    });
    response.on("end", () => {
      this.complete();
      this.socket?.terminate();
    });
  };

  private readonly onClose = (code: number): void => {
    if (this.hasHeaders && (code === NORMAL_CLOSURE || code === NO_STATUS)) this.complete();
    else this.fail(new WebSocketClosed(`the upstream closed the connection (${code})`));
  };

  private readonly onError = (error: Error): void => this.fail(error);

  private readonly abort = (error?: Error): void => this.fail(error ?? new Error("aborted"));

  private complete(): void {
    if (this.isOver) return;
    this.isOver = true;
    this.handler?.onComplete?.([]);
  }

  private fail(error: Error): void {
    if (this.isOver) return;
    this.isOver = true;
    this.leave();
    this.handler?.onError?.(error);
  }

  /** Says goodbye where there is somebody to hear it. */
  private leave(): void {
    const { socket } = this;
    if (!socket) return;
    if (socket.isPaused) socket.resume();
    if (socket.readyState === WebSocket.OPEN) socket.close(NORMAL_CLOSURE);
    else if (socket.readyState === WebSocket.CONNECTING) socket.terminate();
  }

  /** Nobody waits for an answer any more. */
  override async destroy(): Promise<void> {
    this.isOver = true;
    this.socket?.terminate();
  }

  override async close(): Promise<void> {}
}

/** A message may contain line breaks, but not within the strings of its JSON. */
function lineOf(data: WebSocket.RawData): Buffer {
  const message = data as Buffer;
  const line = Buffer.allocUnsafe(message.length + 1);
  message.copy(line);
  for (let at = line.indexOf(NEWLINE); at !== -1 && at < message.length; at = line.indexOf(NEWLINE, at))
    line[at] = SPACE;
  line[message.length] = NEWLINE;
  return line;
}

/** `headers`: alternating names and values. */
export function namedHeaders(headers: unknown): Record<string, string> {
  const named: Record<string, string> = {};
  if (!Array.isArray(headers)) return named;
  for (let at = 0; at + 1 < headers.length; at += 2) named[String(headers[at])] = String(headers[at + 1]);
  return named;
}
