import type { Duplex } from "node:stream";
import type { WebSocket } from "ws";
import type { BodyShare } from "../../base/body-budget";
import { RelayError } from "../../base/relay-error";
import type { Arriving, BodyDeadline } from "../../http/bodies/body-deadline";

/** Messages up to this size are not counted: they are the usual ones, and take little. */
const FREE_BYTES = 65_536;
/** A message is put together from its pieces when it is complete. */
const HELD_PER_BYTE = 2;

type Watched = {
  client: WebSocket;
  /** What the client's messages are read from. */
  socket: Duplex;
  share: Pick<BodyShare, "add" | "giveBack" | "release">;
  deadline: BodyDeadline;
  /** There is no room for more of a message, or it takes too long. */
  onFault: (error: RelayError) => void;
};

/**
 * Counts what is held of a client's unfinished messages in the memory budget of bodies, and bounds how long one may take. Returns
 * what ends it.
 */
export function watchGrowingMessages({ client, socket, share, deadline, onFault }: Watched): () => void {
  let bytes = 0;
  let arriving: Arriving | null = null;

  const settle = (): void => {
    bytes = 0;
    if (!arriving) return;
    deadline.forget(arriving);
    arriving = null;
    share.giveBack();
  };
  const refuse = (error: RelayError): void => {
    // Nothing more is kept of what it sends until the connection is closed.
    socket.removeAllListeners("data");
    socket.on("data", () => {});
    if (arriving) deadline.forget(arriving);
    onFault(error);
  };
  const onData = (chunk: Buffer): void => {
    bytes += chunk.length;
    if (bytes <= FREE_BYTES) return;
    try {
      share.add((arriving ? chunk.length : bytes) * HELD_PER_BYTE);
    } catch (error) {
      if (!(error instanceof RelayError)) throw error;
      refuse(error);
      return;
    }
    if (arriving) arriving.bytes = bytes;
    else {
      arriving = { place: -1, startedAt: performance.now(), bytes, onLate: () => refuse(TOO_SLOW) };
      deadline.watch(arriving);
    }
  };
  // Before the message is read from it, so that its end settles what is counted.
  socket.prependListener("data", onData);
  client.on("message", settle);
  return () => {
    socket.off("data", onData);
    client.off("message", settle);
    settle();
    share.release();
  };
}

const TOO_SLOW = new RelayError("message_timeout", "a message of the session took too long to arrive");
