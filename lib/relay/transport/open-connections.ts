import { isIP } from "node:net";
import { buildConnector, ProxyAgent } from "undici";
import { addressesOf, checkEgressUrl, guardedConnect, type Trust } from "@/lib/egress";
import { CONNECT_SECONDS_MAX } from "@/lib/time-limits";
import { ConnectionStack, type Connections, LOOK_AFTER_MS, sharedConnection, type Whereabouts } from "./connections";
import { httpProxyConnector } from "./http-proxy-connector";
import { isSocks, socksConnector } from "./socks-connector";
import { WebSockets } from "./web-sockets";

/** The most that connecting may take; the limit of each request is in attempt.ts. */
const connectMs = CONNECT_SECONDS_MAX * 1_000;
/** Shorter than the usual keep-alive timeout of servers, so that requests rarely hit a connection that is being closed. */
const keepAliveMs = 15_000;

/** Where a channel's requests go, and whose word that is. */
export type Destination = {
  origin: string;
  /** "" = none. */
  proxy: string;
  /** "public": an administrator chose the address, so neither it nor the proxy may be on a private network. */
  trust: Trust;
};

/** Connections to an upstream. Throws AppError "invalid" when the address or the proxy is not allowed. */
export function openConnections({ origin, proxy, trust }: Destination): Connections {
  const isWebSocket = /^wss?:/i.test(origin);
  checkEgressUrl(isWebSocket ? origin.replace(/^ws/i, "http") : origin, trust);
  if (proxy !== "") checkProxy(proxy, trust);
  const guarded = { ...guardedConnect(trust), timeout: connectMs };
  if (isWebSocket) return new WebSockets(origin, connectorFor(proxy, guarded), connectMs);
  if (proxy !== "" && !isSocks(proxy)) {
    return sharedConnection(
      new ProxyAgent({ uri: proxy, proxyTls: guarded, connectTimeout: connectMs, clientTtl: LOOK_AFTER_MS }),
    );
  }
  const options = {
    keepAliveTimeout: keepAliveMs,
    keepAliveMaxTimeout: 60_000,
    connect: connectorFor(proxy, guarded),
  };
  return new ConnectionStack(origin, options, whereaboutsOf(origin, proxy, trust));
}

/** Null where there is no name. */
function whereaboutsOf(origin: string, proxy: string, trust: Trust): Whereabouts | null {
  const host = new URL(origin).hostname.replace(/^\[|\]$/g, "");
  if (isIP(host) !== 0) return null;
  return { resolve: proxy === "" ? () => addressesOf(host, trust) : null };
}

type Guarded = ReturnType<typeof guardedConnect> & { timeout: number };

function connectorFor(proxy: string, guarded: Guarded): buildConnector.connector {
  if (proxy === "") return buildConnector({ ...guarded, noDelay: true });
  return isSocks(proxy) ? socksConnector(proxy, guarded) : httpProxyConnector(proxy, guarded);
}

/** Credentials are usual for a proxy; everything else is judged as for any address. */
function checkProxy(proxy: string, trust: Trust): void {
  const url = new URL(proxy);
  url.username = url.password = "";
  checkEgressUrl(url.href.replace(/^socks5h?:/i, "http:"), trust);
}
