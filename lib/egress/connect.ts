import { lookup as systemLookup } from "node:dns/promises";
import type { LookupFunction } from "node:net";
import { type AllowedRanges, mayConnect, type Trust } from "./address";
import { allowedRanges, blocked } from "./url";

/** Resolves a host name to all its addresses. */
export type Resolve = (host: string) => Promise<string[]>;

export const resolveBySystem: Resolve = async (host) => {
  const entries = await systemLookup(host, { all: true, verbatim: true });
  return entries.map(({ address }) => address);
};

/**
 * A DNS lookup for net and tls sockets that returns permitted addresses only. The socket connects to the address that
 * was checked, so DNS rebinding (a name that changes its address between two lookups) has no effect.
 */
export function guardedLookup(
  trust: Trust,
  allowed: AllowedRanges,
  resolve: Resolve = resolveBySystem,
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

/** The guarded lookup as an option of a socket, for clients that keep their connections. */
export function guardedConnect(trust: Trust): { lookup: LookupFunction } {
  return { lookup: guardedLookup(trust, allowedRanges()) };
}
