import type { WebSocket } from "ws";
import type { Frame } from "./open-upstream";

/** More than this waiting for one side, and nothing is read from the other until half of it is gone. */
const WAITING_BYTES_MAX = 1_048_576;
const TEXT = { binary: false };
const BINARY = { binary: true };

type Side = "client" | "upstream";

/** Two WebSockets between which frames pass, with back pressure in both directions. */
export class TwoWay {
  readonly client: WebSocket;
  readonly upstream: WebSocket;
  private isHeld = false;
  private isOver = false;
  private readonly isFull = { client: false, upstream: false };
  /** One for all frames, because each costs a closure otherwise. */
  private readonly onSent = { client: () => this.eased("client"), upstream: () => this.eased("upstream") };

  constructor(client: WebSocket, upstream: WebSocket) {
    this.client = client;
    this.upstream = upstream;
  }

  send(to: Side, { data, isBinary }: Frame): void {
    const socket = this[to];
    if (this.isOver || socket.readyState !== socket.OPEN) return;
    socket.send(data, isBinary ? BINARY : TEXT, this.onSent[to]);
    if (!this.isFull[to] && socket.bufferedAmount > WAITING_BYTES_MAX) {
      this.isFull[to] = true;
      this.apply();
    }
  }

  /** Nothing is read from either side while it is held. */
  hold(isHeld: boolean): void {
    if (this.isHeld === isHeld) return;
    this.isHeld = isHeld;
    this.apply();
  }

  /** Whether a side is not read at the moment, so that nothing can be heard of it. */
  isPaused(side: Side): boolean {
    return this[side].isPaused;
  }

  /** Both are read again, so that they can be closed. */
  release(): void {
    this.isOver = true;
    this.client.resume();
    this.upstream.resume();
  }

  start(): void {
    this.apply();
  }

  private eased(to: Side): void {
    if (!this.isFull[to] || this[to].bufferedAmount > WAITING_BYTES_MAX / 2) return;
    this.isFull[to] = false;
    this.apply();
  }

  private apply(): void {
    if (this.isOver) return;
    read(this.client, !this.isHeld && !this.isFull.upstream);
    read(this.upstream, !this.isHeld && !this.isFull.client);
  }
}

function read(socket: WebSocket, isRead: boolean): void {
  if (socket.isPaused !== isRead) return;
  if (isRead) socket.resume();
  else socket.pause();
}
