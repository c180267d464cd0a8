import type { LookupFunction } from "node:net";
import type { buildConnector } from "undici";
import { type AllowedRanges, mayConnect, type Trust } from "./address";
import { createCallersNames, createChannelNames, type Resolve, resolveBySystem } from "./names";
import { proxyFor } from "./outgoing-proxy";
import { allowedRanges, blocked } from "./url";
import { outgoingConnector } from "./via-proxy";

const resolveOfCallers = createCallersNames();
const resolveOfChannels = createChannelNames();

/** How the name of an address is resolved, by who supplied it. */
export function resolveFor(trust: Trust): Resolve {
  return trust === "public" ? resolveOfCallers : resolveBySystem;
}

/**
 * A DNS lookup for net and tls sockets that returns permitted addresses only. The socket connects to the address that
 * was checked, so DNS rebinding (a name that changes its address between two lookups) has no effect.
 */
export function guardedLookup(
  trust: Trust,
  allowed: AllowedRanges,
  resolve: Resolve = resolveFor(trust),
): LookupFunction {
  return (host, options, callback) => {
    resolve(host).then(
      (found) => {
        const entries = found
          .filter((address) => mayConnect(address, trust, allowed))
          .map((address) => ({ address, family: address.includes(":") ? 6 : 4 }));
        const first = entries[0];
        if (!first) callback(blocked(host), "", 0);
        else if (options.all) callback(null, entries);
        else callback(null, first.address, first.family);
      },
      (error: unknown) => callback(error instanceof Error ? error : new Error(String(error)), "", 0),
    );
  };
}

/** The addresses of a channel's name that may be connected to, as new connections find them. */
export async function addressesOf(host: string, trust: Trust): Promise<string[]> {
  const found = await resolveOfChannels(host);
  return found.filter((address) => mayConnect(address, trust, allowedRanges()));
}

/** The guarded lookup of a channel's name as an option of a socket, for clients that keep their connections. */
export function guardedConnect(trust: Trust): { lookup: LookupFunction } {
  return { lookup: guardedLookup(trust, allowedRanges(), resolveOfChannels) };
}

/** Connects a channel by the proxy of the environment; null = it has none for this address. */
export function guardedConnector(url: URL, trust: Trust, timeout: number): buildConnector.connector | null {
  const proxy = proxyFor(url);
  const guard = { trust, allowed: allowedRanges(), resolve: resolveOfChannels };
  return proxy === "" ? null : outgoingConnector(proxy, timeout, guard);
}
