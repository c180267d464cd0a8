import { type AddressInfo, connect, createServer, type Socket } from "node:net";

export type HeldUpstream = Awaited<ReturnType<typeof holdUpstream>>;

type Side = { client: Socket; held: Buffer[] };

const HEAD_END = "\r\n\r\n";

/** Stands before an upstream and keeps its answers back when it is told to, whatever they are. */
export async function holdUpstream(target: string) {
  const { hostname, port } = new URL(target);
  const sides = new Set<Side>();
  let isHeld = false;
  /** The head of an answer is passed on, as upstreams do that think before they write. */
  let passesHeads = false;
  const server = createServer((client) => {
    const upstream = connect(Number(port), hostname);
    const side: Side = { client, held: [] };
    sides.add(side);
    client.pipe(upstream);
    upstream.on("data", (bytes) => {
      if (!isHeld) return void client.write(bytes);
      const end = side.held.length === 0 && passesHeads ? bytes.indexOf(HEAD_END) : -1;
      if (end !== -1) client.write(bytes.subarray(0, end + HEAD_END.length));
      side.held.push(end === -1 ? bytes : bytes.subarray(end + HEAD_END.length));
    });
    upstream.on("end", () => isHeld || client.end());
    for (const socket of [client, upstream]) socket.on("error", () => {});
    client.on("close", () => {
      sides.delete(side);
      upstream.destroy();
    });
  });
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", () => done()));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    hold(what: "all" | "bodies" = "all"): void {
      isHeld = true;
      passesHeads = what === "bodies";
    },
    /** Answers that are kept back. */
    waiting: (): number => [...sides].filter(({ held }) => held.length > 0).length,
    release(): void {
      isHeld = false;
      for (const { client, held } of sides) client.write(Buffer.concat(held.splice(0)));
    },
    /** Breaks the connections of all answers that are kept back. */
    breakOff(): void {
      isHeld = false;
      for (const { client, held } of sides) if (held.length > 0) client.destroy();
    },
    close: (): Promise<void> =>
      new Promise((done) => {
        server.close(() => done());
        for (const { client } of sides) client.destroy();
      }),
  };
}
