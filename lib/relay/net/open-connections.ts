import { isIP } from "node:net";
import { buildConnector } from "undici";
import { addressesOf, checkEgressUrl, guardedConnect, guardedConnector, type Trust } from "@/lib/egress";
import { httpProxyConnector } from "@/lib/egress/http-proxy-connector";
import { proxyFor } from "@/lib/egress/outgoing-proxy";
import { isSocks, socksConnector } from "@/lib/egress/socks-connector";
import { CONNECT_SECONDS_MAX } from "@/lib/time-limits";
import { ConnectionStack, type Connections, type Whereabouts } from "./connections";
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

/**
 * Connections to an upstream; without a proxy of its own by that of the environment. Throws AppError "invalid" when the address or
 * the proxy is not allowed.
 */
export function openConnections({ origin, proxy, trust }: Destination): Connections {
  const isWebSocket = /^wss?:/i.test(origin);
  checkEgressUrl(isWebSocket ? origin.replace(/^ws/i, "http") : origin, trust);
  if (proxy !== "") checkProxy(proxy, trust);
  const connect = connectorFor(origin, proxy, trust);
  if (isWebSocket) return new WebSockets(origin, connect, connectMs);
  const options = { keepAliveTimeout: keepAliveMs, keepAliveMaxTimeout: 60_000, connect };
  return new ConnectionStack(origin, options, whereaboutsOf(origin, proxy || proxyFor(new URL(origin)), trust));
}

/** Null where there is no name. */
function whereaboutsOf(origin: string, proxy: string, trust: Trust): Whereabouts | null {
  const host = new URL(origin).hostname.replace(/^\[|\]$/g, "");
  if (isIP(host) !== 0) return null;
  return { resolve: proxy === "" ? () => addressesOf(host, trust) : null };
}

function connectorFor(origin: string, proxy: string, trust: Trust): buildConnector.connector {
  const guarded = { ...guardedConnect(trust), timeout: connectMs };
  if (proxy === "")
    return guardedConnector(new URL(origin), trust, connectMs) ?? buildConnector({ ...guarded, noDelay: true });
  const connector = isSocks(proxy) ? socksConnector(proxy, guarded) : httpProxyConnector(proxy, guarded);
  return (options, callback) => connector(options, options.hostname, callback);
}

/** Credentials are usual for a proxy; everything else is judged as for any address. */
function checkProxy(proxy: string, trust: Trust): void {
  const url = new URL(proxy);
  url.username = url.password = "";
  checkEgressUrl(url.href.replace(/^socks5h?:/i, "http:"), trust);
}
