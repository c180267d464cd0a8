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

/** The names of the settings that say where to listen. */
type Names = { port: string; host: string };

/** Why nothing can listen there and what to do; null when it can. */
export async function listenProblem(
  port: number,
  host: string,
  names: Names = { port: "PORT", host: "HOST" },
): Promise<{ text: string; advice: string } | null> {
  try {
    await listenOnce(port, host);
    return null;
  } catch (error) {
    return describeListenError(error, port, host, names);
  }
}

function describeListenError(
  error: unknown,
  port: number,
  host: string,
  names: Names,
): { text: string; advice: string } {
  const { code, message } = error as NodeJS.ErrnoException;
  if (code === "EADDRINUSE") {
    return {
      text: `Port ${port} is in use.`,
      advice: `Stop the other program, or choose another port: ${names.port}=${port + 1}`,
    };
  }
  if (code === "EACCES") {
    return {
      text: `This account may not listen on port ${port}.`,
      advice: "Choose a port above 1023 and put a reverse proxy before it (docs/operations/deploy.md).",
    };
  }
  return {
    text: `Weir cannot listen on ${host}: ${message}.`,
    advice: `Set ${names.host} to an address of this machine.`,
  };
}
