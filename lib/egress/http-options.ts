import { Agent as HttpAgent } from "node:http";
import { Agent as HttpsAgent } from "node:https";
import type { LookupFunction, Socket } from "node:net";
import { AppError } from "@/lib/errors";
import type { AllowedRanges, Trust } from "./address";
import { tooLarge } from "./body";
import { guardedLookup, resolveFor } from "./connect";
import type { Resolve } from "./names";
import { proxyFor } from "./outgoing-proxy";
import { allowedRanges, checkEgressUrl } from "./url";
import { connectBy, outgoingConnector } from "./via-proxy";

type GuardOptions = {
  trust: Trust;
  /** For the whole lifetime of the connection. */
  timeoutMs: number;
  /** Limit of all bytes received on the connection, headers included. */
  maxBytes: number;
  allowed?: AllowedRanges;
  resolve?: Resolve;
};

/**
 * The guard of `egressFetch` for libraries that use node:http or node:https and follow no redirects: pass the result
 * with the library's request to `url`. Each request gets its own connection to a checked address, which is closed after
 * `timeoutMs` or `maxBytes`. Throws AppError "invalid" when the URL is not allowed.
 */
export function guardedHttpOptions(
  url: URL,
  options: GuardOptions,
): { agent: HttpAgent; lookup: LookupFunction; timeout: number } {
  const { trust, timeoutMs, allowed = allowedRanges(), resolve } = options;
  checkEgressUrl(url.href, trust, allowed);
  return { agent: boundedAgent(url, options), lookup: guardedLookup(trust, allowed, resolve), timeout: timeoutMs };
}

/** A separate agent without keep-alive: a shared one could reuse a connection that was checked for another request. */
function boundedAgent(url: URL, options: GuardOptions): HttpAgent {
  const agent = url.protocol === "https:" ? new HttpsAgent({ keepAlive: false }) : new HttpAgent({ keepAlive: false });
  const { trust, timeoutMs, allowed = allowedRanges(), resolve = resolveFor(trust) } = options;
  const proxy = proxyFor(url);
  if (proxy !== "") {
    const connector = outgoingConnector(proxy, timeoutMs, { trust, allowed, resolve });
    connectBy(agent, url.protocol, () => (asked, callback) => {
      connector(asked, (...given) => {
        if (given[1]) bound(given[1], url, options);
        callback(...given);
      });
    });
    return agent;
  }
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
