import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";

export type DatabaseProxy = {
  /** The database URL that goes through the proxy. */
  url: string;
  /** The next `times` statements that contain `text` are executed and committed, but their responses never arrive. */
  loseAnswers: (text: string, times: number) => void;
  /** Number of lost responses since the start. */
  lost: () => number;
  close: () => Promise<void>;
};

type Trap = { text: string; left: number; lost: number };

const PARSE = "P".charCodeAt(0);
const BIND = "B".charCodeAt(0);
/** The types of messages from which a client can tell the outcome. */
const OUTCOMES = new Set([..."DCE"].map((letter) => letter.charCodeAt(0)));
const READY = "Z".charCodeAt(0);
const IDLE = "I".charCodeAt(0);

/**
 * A TCP proxy in front of PostgreSQL that can lose the response to a commit: it withholds the outcome, waits until the
 * server reports that it is idle, which is after the commit, and then closes the connection.
 */
export async function startDatabaseProxy(databaseUrl: string): Promise<DatabaseProxy> {
  const target = new URL(databaseUrl);
  const trap: Trap = { text: "", left: 0, lost: 0 };
  const sockets = new Set<Socket>();
  const server = createServer((client) => {
    const database = connect(Number(target.port || 5432), target.hostname);
    for (const socket of [client, database]) {
      sockets.add(socket.once("close", () => sockets.delete(socket)).setNoDelay());
      // The "close" event closes the other side.
      socket.on("error", () => {});
    }
    client.once("close", () => database.destroy());
    database.once("close", () => client.destroy());
    relay(client, database, trap);
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  const url = new URL(databaseUrl);
  url.hostname = "127.0.0.1";
  url.port = String((server.address() as AddressInfo).port);
  return {
    url: url.href,
    loseAnswers: (text, times) => Object.assign(trap, { text, left: times }),
    lost: () => trap.lost,
    close: async () => {
      const closed = once(server, "close");
      server.close();
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
}

function relay(client: Socket, database: Socket, trap: Trap): void {
  /** Statement text by name, for the prepared statements of this connection. */
  const statements = new Map<string, string>();
  let isTrapped = false;
  let isWithholding = false;
  let isStarted = false;
  const fromClient = createFraming();
  const fromDatabase = createFraming();
  client.on("data", (bytes: Buffer) => {
    // The startup message has no type byte; without TLS the client sends it in one piece.
    if (isStarted) for (const message of fromClient(bytes)) isTrapped ||= isCaught(message, statements, trap);
    isStarted = true;
    database.write(bytes);
  });
  database.on("data", (bytes: Buffer) => {
    for (const message of fromDatabase(bytes)) {
      isWithholding ||= isTrapped && OUTCOMES.has(message[0] ?? 0);
      if (!isWithholding) client.write(message);
      else if (message[0] === READY && message[5] === IDLE) {
        trap.lost += 1;
        client.destroy();
        return;
      }
    }
  });
}

/** True for the Bind message of a statement whose response is to be lost. */
function isCaught(message: Buffer, statements: Map<string, string>, trap: Trap): boolean {
  const [first = "", second = ""] = message.subarray(5).toString("utf8").split("\0", 2);
  if (message[0] === PARSE) statements.set(first, second);
  if (message[0] !== BIND || trap.left === 0 || !statements.get(second)?.includes(trap.text)) return false;
  trap.left -= 1;
  return true;
}

/** Splits a byte stream into PostgreSQL messages: type byte, length of the rest, rest. */
function createFraming(): (bytes: Buffer) => Buffer[] {
  let rest: Buffer = Buffer.alloc(0);
  return (bytes) => {
    rest = Buffer.concat([rest, bytes]);
    const messages: Buffer[] = [];
    while (rest.length >= 5) {
      const length = 1 + rest.readInt32BE(1);
      if (rest.length < length) break;
      messages.push(rest.subarray(0, length));
      rest = rest.subarray(length);
    }
    return messages;
  };
}
