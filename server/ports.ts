import { createServer } from "node:net";

function listenOnce(port: number, host: string): Promise<number> {
  return new Promise((done, fail) => {
    const probe = createServer().once("error", fail);
    probe.listen(port, host, () => {
      const address = probe.address();
      probe.close(() => done(typeof address === "object" && address ? address.port : port));
    });
  });
}

/** A free loopback port. Another program may still take it before it is used. */
export function freePort(): Promise<number> {
  return listenOnce(0, "127.0.0.1");
}

/** Returns the port when it is free, else null. */
export function portIfFree(port: number, host = "127.0.0.1"): Promise<number | null> {
  return listenOnce(port, host).catch(() => null);
}
