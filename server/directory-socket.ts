import { rmSync } from "node:fs";
import { connect, createServer, type Server } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import { canHoldSocket } from "./socket-folder";

export type SocketHold = {
  /** "unknown" = the folder cannot hold a socket, or one of another account is there. */
  state: "ours" | "taken" | "unknown";
  /** A process has left one behind when it was killed. */
  wasLeft: boolean;
  release: () => void;
};

const TAKEN: SocketHold = { state: "taken", wasLeft: false, release: () => {} };
/** Longer than another start takes from finding a socket that was left to removing it. */
const SETTLE_MS = 200;

/**
 * Listens at a socket in a folder, which only one process can, also where several containers share it and the process
 * ids of one say nothing in another. The system closes it with the process.
 */
export async function holdSocket(path: string): Promise<SocketHold> {
  if (!canHoldSocket(path)) return { state: "unknown", wasLeft: false, release: () => {} };
  let wasLeft = false;
  for (let tries = 0; tries < 3; tries++) {
    const server = await listen(path);
    if (server && wasLeft && !(await isReached(server, path))) return TAKEN;
    if (server) return { state: "ours", wasLeft, release: () => void server.close() };
    const answer = await ask(path);
    if (answer === "taken") return TAKEN;
    if (answer === "unknown") break;
    wasLeft = true;
    rmSync(path, { force: true });
  }
  return { state: "unknown", wasLeft: false, release: () => {} };
}

function listen(path: string): Promise<Server | null> {
  return new Promise((resolve) => {
    const server = createServer((caller) => caller.destroy());
    server.unref();
    server.once("error", () => resolve(null));
    server.listen(path, () => resolve(server));
  });
}

/**
 * Whether who connects gets to this server, and not to one of another start, which found the same socket left and took away
 * the new one with it. The server that lost is not closed: that would remove the socket of the other.
 */
async function isReached(server: Server, path: string): Promise<boolean> {
  await delay(SETTLE_MS);
  const reached = new Promise<boolean>((resolve) => {
    server.once("connection", () => resolve(true));
    void delay(SETTLE_MS * 5, false, { ref: false }).then(resolve);
  });
  return (await ask(path)) === "taken" && reached;
}

/** "left" = nobody listens there any more. */
function ask(path: string): Promise<"taken" | "left" | "unknown"> {
  return new Promise((resolve) => {
    const caller = connect(path);
    caller.once("connect", () => {
      caller.destroy();
      resolve("taken");
    });
    caller.once("error", ({ code }: NodeJS.ErrnoException) => resolve(code === "ECONNREFUSED" ? "left" : "unknown"));
  });
}
