import { lookup as systemLookup } from "node:dns/promises";
import type { LookupFunction } from "node:net";
import { type AllowedRanges, mayConnect, type Trust } from "./address";
import { blocked } from "./url";

/** All addresses of a name. */
export type Resolve = (host: string) => Promise<string[]>;

export const resolveBySystem: Resolve = async (host) => {
  const entries = await systemLookup(host, { all: true, verbatim: true });
  return entries.map(({ address }) => address);
};

/**
 * A look-up for net and tls sockets that yields permitted addresses only: what is connected to is what was judged, so a
 * name that changes its address between two questions gains nothing.
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
