import { type buildConnector, Client, type Dispatcher } from "undici";

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

/**
 * After this long it is asked whether the name still leads where the connections do. Two looks and the age of a remembered address
 * are less than a minute, also where requests are far apart.
 */
const LOOK_AFTER_MS = 5_000;
/** Only a proxy knows where its tunnels lead, so all of them are given up. */
const TUNNELS_AFTER_MS = 20_000;

/** How a stack knows that its upstream has moved. */
export type Whereabouts = {
  /** The addresses of the upstream's name; null = the connections go through a proxy, which resolves it. */
  resolve: (() => Promise<readonly string[]>) | null;
  now?: () => number;
};

class CountingClient extends Client {
  /** The present socket has served a request. */
  isReused = false;
  /** Where the present socket leads; "" = not known. */
  address = "";
  /** The upstream is elsewhere now. */
  isStale = false;

  constructor(origin: string, { connect, ...options }: Client.Options) {
    let connected = (_address: string): void => {};
    const noting: buildConnector.connector | undefined =
      typeof connect === "function"
        ? (given, callback) =>
            (connect as buildConnector.connector)(given, (...result) => {
              connected(result[1]?.remoteAddress ?? "");
              callback(...result);
            })
        : undefined;
    super(origin, { ...options, ...(noting ? { connect: noting } : connect === undefined ? {} : { connect }) });
    connected = (address) => {
      this.address = address.replace(/^::ffff:/i, "");
      this.isStale = false;
    };
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
  private readonly whereabouts: Whereabouts | null;
  private lookAt = 0;
  private isClosed = false;

  /** Without `whereabouts` a connection is kept wherever its name leads. */
  constructor(origin: string, options: Client.Options, whereabouts: Whereabouts | null = null) {
    this.origin = origin;
    this.options = options;
    this.whereabouts = whereabouts;
    if (whereabouts) this.lookLater(whereabouts);
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
    if (this.whereabouts && this.now() >= this.lookAt) this.look(this.whereabouts);
    const isStale = connection instanceof CountingClient && connection.isStale;
    if (this.isClosed || isStale || this.idle.length >= IDLE_MAX) this.drop(connection);
    else this.idle.push(connection);
  }

  private now(): number {
    return this.whereabouts?.now?.() ?? performance.now();
  }

  private lookLater({ resolve }: Whereabouts): void {
    this.lookAt = this.now() + (resolve ? LOOK_AFTER_MS : TUNNELS_AFTER_MS);
  }

  /** Connections that are in use all the time would stay where the name led when they were opened. */
  private look(whereabouts: Whereabouts): void {
    this.lookLater(whereabouts);
    const { resolve } = whereabouts;
    if (!resolve) {
      this.leave(() => true);
      return;
    }
    resolve().then(
      (addresses) => this.leave(({ address }) => address !== "" && !addresses.includes(address)),
      // A name that cannot be resolved leads nowhere else.
      ignore,
    );
  }

  /** Idle connections at once, others when their request has ended. */
  private leave(isElsewhere: (connection: CountingClient) => boolean): void {
    for (const connection of this.all)
      if (connection instanceof CountingClient && isElsewhere(connection)) connection.isStale = true;
    for (const connection of this.idle.splice(0)) {
      if (connection instanceof CountingClient && connection.isStale) this.drop(connection);
      else this.idle.push(connection);
    }
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
