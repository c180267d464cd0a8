import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import { setTimeout as delay } from "node:timers/promises";

export type TroubledProxy = {
  /** The database URL that goes through the proxy. */
  url: string;
  /** From now on nothing passes on the present connections, and none of them is closed; new ones work, as after a fail-over. */
  silence: () => void;
  /** Nothing passes on any connection, present or new, until `resume`; nothing is lost then. */
  pause: () => void;
  resume: () => void;
  /** Every connection is reset, and so are new ones until `comeBack`. */
  goAway: () => void;
  comeBack: () => void;
  /** What the server says arrives this much later. */
  delayAnswers: (ms: number) => void;
  /** How many present connections carry something, by application name. */
  names: () => string[];
  /** Who asked for a connection while it was away, by application name. */
  refused: () => string[];
  close: () => Promise<void>;
};

type Pair = { client: Socket; database: Socket; name: string; isSilent: boolean };

/** A TCP proxy in front of PostgreSQL that can be silent, away or slow, without a word to either side. */
export async function startTroubledProxy(databaseUrl: string): Promise<TroubledProxy> {
  const target = new URL(databaseUrl);
  const pairs = new Set<Pair>();
  const refused: string[] = [];
  let isAway = false;
  let isPaused = false;
  let delayMs = 0;

  const server = createServer((client) => {
    if (isAway) return refuse(client, (name) => refused.push(name));
    const database = connect(Number(target.port || 5432), target.hostname);
    const pair: Pair = { client, database, name: "", isSilent: false };
    pairs.add(pair);
    for (const socket of [client, database]) {
      socket.setNoDelay().on("error", () => {});
      socket.once("close", () => {
        pairs.delete(pair);
        // A silent peer does not say that it is gone either.
        if (!pair.isSilent || socket === client) for (const side of [client, database]) side.destroy();
      });
    }
    client.on("data", (bytes) => {
      if (pair.name === "") pair.name = nameIn(bytes);
      if (!pair.isSilent) database.write(bytes);
    });
    database.on("data", (bytes) => void answer(pair, bytes));
    if (isPaused) hold(pair, true);
  });

  async function answer(pair: Pair, bytes: Buffer): Promise<void> {
    if (delayMs > 0) await delay(delayMs);
    if (!pair.isSilent) pair.client.write(bytes);
  }

  await once(server.listen(0, "127.0.0.1"), "listening");
  const url = new URL(databaseUrl);
  url.hostname = "127.0.0.1";
  url.port = String((server.address() as AddressInfo).port);
  const setPaused = (paused: boolean): void => {
    isPaused = paused;
    for (const pair of pairs) hold(pair, paused);
  };
  return {
    url: url.href,
    silence() {
      for (const pair of pairs) pair.isSilent = true;
    },
    pause: () => setPaused(true),
    resume: () => setPaused(false),
    goAway() {
      isAway = true;
      refused.length = 0;
      for (const { client, database } of pairs) {
        client.resetAndDestroy();
        database.destroy();
      }
    },
    comeBack() {
      isAway = false;
    },
    delayAnswers(ms) {
      delayMs = ms;
    },
    names: () => [...pairs].filter(({ isSilent }) => !isSilent).map(({ name }) => name),
    refused: () => [...refused],
    async close() {
      const closed = once(server, "close");
      server.close();
      for (const { client, database } of pairs) for (const socket of [client, database]) socket.destroy();
      await closed;
    },
  };
}

function hold({ client, database }: Pair, paused: boolean): void {
  for (const socket of [client, database]) {
    if (paused) socket.pause();
    else socket.resume();
  }
}

function refuse(client: Socket, tell: (name: string) => void): void {
  client
    .on("error", () => {})
    .once("data", (bytes) => {
      tell(nameIn(bytes));
      client.resetAndDestroy();
    });
}

/** The startup message is a list of names and values. */
function nameIn(bytes: Buffer): string {
  const words = bytes.toString("utf8").split("\0");
  return words[words.indexOf("application_name") + 1] ?? "";
}
