import { Agent as HttpAgent } from "node:http";
import { Agent as HttpsAgent } from "node:https";
import type { LookupFunction, Socket } from "node:net";
import { AppError } from "@/lib/errors";
import type { AllowedRanges, Trust } from "./address";
import { tooLarge } from "./body";
import { guardedLookup, type Resolve } from "./connect";
import { allowedRanges, checkEgressUrl } from "./url";

type GuardOptions = {
  trust: Trust;
  /** For the whole connection. */
  timeoutMs: number;
  /** Of everything that is received. */
  maxBytes: number;
  allowed?: AllowedRanges;
  resolve?: Resolve;
};

/**
 * The guard of `egressFetch` for a library that asks by node:http or node:https and follows no redirects: pass these with
 * its request to `url`. The connection is made for this one request, to an address that was judged, and is cut when it
 * lasts too long or brings too much. Throws AppError "invalid" when the URL may not be asked.
 */
export function guardedHttpOptions(
  url: URL,
  options: GuardOptions,
): { agent: HttpAgent; lookup: LookupFunction; timeout: number } {
  const { trust, timeoutMs, allowed = allowedRanges(), resolve } = options;
  checkEgressUrl(url.href, trust, allowed);
  return { agent: boundedAgent(url, options), lookup: guardedLookup(trust, allowed, resolve), timeout: timeoutMs };
}

/** An agent of its own: one that keeps connections would hand a request a connection that was judged for another. */
function boundedAgent(url: URL, options: GuardOptions): HttpAgent {
  const agent = url.protocol === "https:" ? new HttpsAgent({ keepAlive: false }) : new HttpAgent({ keepAlive: false });
  const connect = agent.createConnection.bind(agent);
  agent.createConnection = (...given: Parameters<typeof connect>) => {
    const socket = connect(...given);
    if (socket) bound(socket as Socket, url, options);
    return socket;
  };
  return agent;
}

function bound(socket: Socket, url: URL, { timeoutMs, maxBytes }: GuardOptions): void {
  const timer = setTimeout(
    () => socket.destroy(new AppError("upstream", "egressTimeout", { host: url.host })),
    timeoutMs,
  );
  socket.once("close", () => clearTimeout(timer));
  let received = 0;
  socket.on("data", (part: Buffer) => {
    received += part.length;
    if (received > maxBytes) socket.destroy(tooLarge(maxBytes));
  });
}
