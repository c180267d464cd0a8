import { Client, type Dispatcher } from "undici";

/** Provides connections for attempts. */
export type Connections = {
  /** A connection serves one request, and its server waits for us to close it: abort when the answer is complete. */
  readonly isSingleUse?: true;
  /** A connection for one request at a time. Pass it to `giveBack` or `drop` afterwards. */
  take(): Dispatcher;
  /** Like `take`, but never a connection that served another request. */
  open(): Dispatcher;
  /** Whether the connection, as it is now, served another request before; false also where that is not known. */
  isReused(connection: Dispatcher): boolean;
  /** Call when the request ended without an error. */
  giveBack(connection: Dispatcher): void;
  /** Call when the request failed or was aborted: the connection is not reused. */
  drop(connection: Dispatcher): void;
  /** Call for a connection that is not open yet, and on which nobody waits any more. */
  abandon(connection: Dispatcher): void;
  /** Waits for requests in flight. */
  close(): Promise<unknown>;
  /** Closes all connections at once. */
  destroy(): Promise<unknown>;
};

/** Maximum idle connections; the keep-alive timeout also closes idle ones. */
const IDLE_MAX = 512;

class CountingClient extends Client {
  /** The present socket has served a request. */
  isReused = false;

  constructor(origin: string, options: Client.Options) {
    super(origin, options);
    this.on("connect", () => {
      this.isReused = false;
    });
  }
}

/**
 * HTTP/1.1 connections to one origin, last used first. undici's own Pool searches all connections for a free one, so a
 * request costs more the more streams are open. A stack takes constant time.
 */
export class ConnectionStack implements Connections {
  private readonly origin: string;
  private readonly options: Client.Options;
  private readonly all = new Set<Dispatcher>();
  private readonly idle: Dispatcher[] = [];
  private isClosed = false;

  constructor(origin: string, options: Client.Options) {
    this.origin = origin;
    this.options = options;
  }

  take(): Dispatcher {
    return this.idle.pop() ?? this.open();
  }

  open(): Dispatcher {
    const opened = new CountingClient(this.origin, { ...this.options, pipelining: 1 });
    this.all.add(opened);
    return opened;
  }

  isReused(connection: Dispatcher): boolean {
    return connection instanceof CountingClient && connection.isReused;
  }

  giveBack(connection: Dispatcher): void {
    if (connection instanceof CountingClient) connection.isReused = true;
    if (this.isClosed || this.idle.length >= IDLE_MAX) this.drop(connection);
    else this.idle.push(connection);
  }

  drop(connection: Dispatcher): void {
    if (this.all.delete(connection)) connection.close().catch(ignore);
  }

  abandon(connection: Dispatcher): void {
    if (this.all.delete(connection)) connection.destroy().catch(ignore);
  }

  async close(): Promise<void> {
    this.isClosed = true;
    for (const connection of this.idle.splice(0)) this.drop(connection);
  }

  async destroy(): Promise<void> {
    this.isClosed = true;
    this.idle.length = 0;
    await Promise.all([...this.all].map((connection) => connection.destroy()));
    this.all.clear();
  }
}

function ignore(): void {}
