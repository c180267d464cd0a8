import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";

export type NameSwitch = {
  /** An address that always stays the same. */
  url: string;
  /** New connections lead to the server of this address. Those that there are stay where they lead, unless they are cut. */
  lead: (to: string, options?: { isCut?: boolean }) => void;
  /** How many connections lead to the server of this address. */
  leadingTo: (to: string) => number;
  close: () => Promise<void>;
};

const placeOf = (url: string): string => new URL(url).host;

/** What a name does whose address changes: a TCP port in front of one server after the other. */
export async function startNameSwitch(first: string): Promise<NameSwitch> {
  let target = placeOf(first);
  const pairs = new Map<Socket, { server: Socket; place: string }>();
  const listener = createServer((client) => {
    const [host, port] = target.split(":");
    const server = connect(Number(port), host);
    pairs.set(client, { server, place: target });
    for (const socket of [client, server]) {
      socket.setNoDelay().on("error", () => {});
      socket.once("close", () => {
        pairs.delete(client);
        client.destroy();
        server.destroy();
      });
    }
    client.pipe(server).pipe(client);
  });
  await once(listener.listen(0, "127.0.0.1"), "listening");
  const url = new URL(first);
  url.hostname = "127.0.0.1";
  url.port = String((listener.address() as AddressInfo).port);
  return {
    url: url.href,
    lead(to, { isCut = false } = {}) {
      target = placeOf(to);
      if (isCut) for (const { server } of pairs.values()) server.destroy();
    },
    leadingTo: (to) => [...pairs.values()].filter(({ place }) => place === placeOf(to)).length,
    async close() {
      const closed = once(listener, "close");
      listener.close();
      for (const { server } of pairs.values()) server.destroy();
      await closed;
    },
  };
}
