import { Client, type Dispatcher } from "undici";

/** Where attempts get their connection from. */
export type Connections = {
  /** A connection for one request at a time. It ends up in `giveBack` or in `drop`. */
  take(): Dispatcher;
  /** The request is over and all is well. */
  giveBack(connection: Dispatcher): void;
  /** The request failed or was aborted: nothing else is sent on this connection. */
  drop(connection: Dispatcher): void;
  /** Lets what is in flight finish. */
  close(): Promise<unknown>;
  /** Ends everything at once. */
  destroy(): Promise<unknown>;
};

/** More idle connections than this are not kept; one that is idle for long is closed by its keep-alive limit anyway. */
const IDLE_MAX = 512;

/**
 * HTTP/1.1 connections to one origin, the last one used first. undici's own Pool goes through all connections to find
 * one that is free, so that a request costs more the more streams are open; here it is always the top of a stack.
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

/** One dispatcher that sees to its connections itself, e.g. an agent for a proxy. */
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
