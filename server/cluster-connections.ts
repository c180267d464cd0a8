import type { ChildProcess, Serializable } from "node:child_process";
import cluster from "node:cluster";

/** What node:cluster tells its processes, and they it, beside the messages of the program. */
type Internal = { cmd?: string; act?: string; seq?: number; ack?: number };
type Connection = { close: () => void };
type Send = (message: Serializable, connection?: Connection, ...rest: unknown[]) => boolean;

/** What a process said before its end is read by then. */
const READ_MS = 100;

/**
 * node:cluster forgets a connection which it gave to a process that is killed before it has taken it: the caller would wait for
 * an answer until its own patience ends. This hands such a connection to another process, or closes it where there is none.
 */
export function keepConnections(child: ChildProcess): void {
  const given = new Map<number, Connection>();
  const send = child.send.bind(child) as Send;
  const noting: Send = (message, connection, ...rest) => {
    const { act, seq } = message as Internal;
    if (act === "newconn" && seq !== undefined && connection) given.set(seq, connection);
    return send(message, connection, ...rest);
  };
  child.send = noting as ChildProcess["send"];
  child.on("internalMessage", ({ ack }: Internal) => void (ack !== undefined && given.delete(ack)));
  // "disconnect" does not come while a connection is on its way.
  child.once("exit", () => setTimeout(passOn, READ_MS));
  function passOn(): void {
    const hasOther = Object.values(cluster.workers ?? {}).some((one) => one?.process !== child && one?.isConnected());
    for (const [seq, connection] of [...given]) {
      if (hasOther) child.emit("internalMessage", { cmd: "NODE_CLUSTER", ack: seq, accepted: false });
      else connection.close();
    }
    given.clear();
  }
}
