import type { buildConnector, Dispatcher } from "undici";
import type { WebSocket } from "ws";
import type { Connections } from "./connections";
import { namedHeaders, openWebSocket, WebSocketRequest } from "./web-socket";

/** WebSockets to one origin. Each serves one request, or one session. */
export class WebSockets implements Connections {
  readonly isSingleUse = true;
  readonly origin: string;
  readonly connector: buildConnector.connector;
  readonly connectMs: number;
  private readonly all = new Set<Dispatcher>();

  constructor(origin: string, connector: buildConnector.connector, connectMs: number) {
    this.origin = origin;
    this.connectMs = connectMs;
    this.connector = connector;
  }

  take(): Dispatcher {
    return this.open();
  }

  open(): Dispatcher {
    const opened = new WebSocketRequest(this.origin, this.connector, this.connectMs);
    this.all.add(opened);
    return opened;
  }

  /** A WebSocket for the caller's own use; `headers`: alternating names and values. It closes it. */
  session(path: string, headers: readonly string[], bytesMax: number): WebSocket {
    return openWebSocket(this, path, namedHeaders(headers), bytesMax);
  }

  isReused(): boolean {
    return false;
  }

  giveBack(connection: Dispatcher): void {
    this.drop(connection);
  }

  drop(connection: Dispatcher): void {
    this.all.delete(connection);
  }

  abandon(connection: Dispatcher): void {
    if (this.all.delete(connection)) connection.destroy().catch(() => {});
  }

  async close(): Promise<void> {}

  async destroy(): Promise<void> {
    await Promise.all([...this.all].map((connection) => connection.destroy()));
    this.all.clear();
  }
}
