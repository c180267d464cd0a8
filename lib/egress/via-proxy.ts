import { Agent as HttpAgent } from "node:http";
import { Agent as HttpsAgent } from "node:https";
import { isIP } from "node:net";
import type { buildConnector } from "undici";
import { type AllowedRanges, mayConnect, type Trust } from "./address";
import { httpProxyConnector } from "./http-proxy-connector";
import type { Resolve } from "./names";
import { proxyFor } from "./outgoing-proxy";
import { isSocks, socksConnector } from "./socks-connector";
import { blocked } from "./url";

/** Who supplied the target's address, and how its name is resolved. */
export type TargetGuard = { trust: Trust; allowed: AllowedRanges; resolve: Resolve };

/**
 * Connects through a proxy of the environment. Addresses that users supplied are resolved and judged here, and the proxy gets the
 * address that was judged: what it would resolve by itself could lead into a private network. Others it resolves itself.
 */
export function outgoingConnector(proxy: string, timeout: number, guard: TargetGuard): buildConnector.connector {
  const connector = isSocks(proxy) ? socksConnector(proxy, { timeout }) : httpProxyConnector(proxy, { timeout });
  if (guard.trust !== "public") return (options, callback) => connector(options, options.hostname, callback);
  return (options, callback) => {
    judgedAddress(options.hostname, guard).then(
      (address) => connector(options, address, callback),
      (error: unknown) => callback(error instanceof Error ? error : new Error(String(error)), null),
    );
  };
}

async function judgedAddress(hostname: string, { trust, allowed, resolve }: TargetGuard): Promise<string> {
  const host = hostname.replace(/^\[|\]$/g, "");
  const found = isIP(host) === 0 ? await resolve(host) : [host];
  const address = found.find((one) => mayConnect(one, trust, allowed));
  if (address === undefined) throw blocked(host);
  return address;
}

type Connecting = { host?: string; hostname?: string; port?: number | string; servername?: string };
type Opened = (error: Error | null, socket?: unknown) => void;

/** Has an agent of node:http or node:https connect by a connector. `opened` is told of each socket. */
export function connectBy(
  agent: HttpAgent,
  protocol: string,
  connectorOf: (target: URL) => buildConnector.connector | null,
): void {
  const direct = agent.createConnection.bind(agent) as (options: Connecting, done: Opened) => unknown;
  const connect = (options: Connecting, done: Opened): unknown => {
    const host = options.host ?? options.hostname ?? "localhost";
    const target = new URL(`${protocol}//${host.includes(":") ? `[${host}]` : host}:${options.port ?? ""}`);
    const connector = connectorOf(target);
    if (connector === null) return direct(options, done);
    const { port, host: authority } = target;
    const servername = options.servername || (isIP(host) === 0 ? host : undefined);
    const asked = { protocol, hostname: host, host: authority, port, ...(servername ? { servername } : {}) };
    connector(asked, (...[error, socket]) => (error ? done(error) : done(null, socket)));
    return undefined;
  };
  Object.assign(agent, { createConnection: connect });
}

/** An agent for libraries whose addresses root or the environment names: each connection goes by the proxy of its target. */
export function outgoingAgent(protocol: "http:" | "https:", timeout: number): HttpAgent {
  const agent = protocol === "https:" ? new HttpsAgent({ keepAlive: true }) : new HttpAgent({ keepAlive: true });
  connectBy(agent, protocol, (target) => {
    const proxy = proxyFor(target);
    const guard = { trust: "operator", allowed: [], resolve: async () => [] } as const;
    return proxy === "" ? null : outgoingConnector(proxy, timeout, guard);
  });
  return agent;
}
