import { Client, type Dispatcher } from "undici";

/** Provides connections for attempts. */
export type Connections = {
  /** A connection for one request at a time. Pass it to `giveBack` or `drop` afterwards. */
  take(): Dispatcher;
  /** Call when the request ended without an error. */
  giveBack(connection: Dispatcher): void;
  /** Call when the request failed or was aborted: the connection is not reused. */
  drop(connection: Dispatcher): void;
  /** Waits for requests in flight. */
  close(): Promise<unknown>;
  /** Closes all connections at once. */
  destroy(): Promise<unknown>;
};

/** Maximum idle connections; the keep-alive timeout also closes idle ones. */
const IDLE_MAX = 512;

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
    const connection = this.idle.pop();
    if (connection) return connection;
    const opened = new Client(this.origin, { ...this.options, pipelining: 1 });
    this.all.add(opened);
    return opened;
  }

  giveBack(connection: Dispatcher): void {
    if (this.isClosed || this.idle.length >= IDLE_MAX) this.drop(connection);
    else this.idle.push(connection);
  }

  drop(connection: Dispatcher): void {
    if (this.all.delete(connection)) connection.close().catch(ignore);
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

/** Wraps a dispatcher that manages its own connections, e.g. a proxy agent. */
export function sharedConnection(dispatcher: Dispatcher): Connections {
  return {
    take: () => dispatcher,
    giveBack: ignore,
    drop: ignore,
    close: () => dispatcher.close(),
    destroy: () => dispatcher.destroy(),
  };
}

function ignore(): void {}
