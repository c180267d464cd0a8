import type { IncomingMessage } from "node:http";
import ipaddr from "ipaddr.js";
import { isWithin, readRange } from "@/lib/request/address-list";

export type ClientAddress = ((request: IncomingMessage) => string) & {
  /** Whether the connection comes from a trusted proxy, so that its X-Forwarded-* headers count. */
  isTrustedPeer: (request: IncomingMessage) => boolean;
};

/**
 * The client's address: the socket's address or, when that is a trusted proxy, the last address in X-Forwarded-For that
 * is not a trusted proxy. The header is ignored when the client is not a trusted proxy.
 */
export function createClientAddress(trustedProxies: string): ClientAddress {
  const ranges = trustedProxies
    .split(",")
    .map((entry) => readRange(entry.trim()))
    .filter((range) => range !== null);
  const isTrusted = (text: string): boolean => {
    if (ranges.length === 0 || !ipaddr.isValid(text)) return false;
    const address = ipaddr.process(text);
    return ranges.some((range) => isWithin(address, range));
  };
  const peerOf = (request: IncomingMessage): string => plain(request.socket.remoteAddress ?? "");
  const addressOf = (request: IncomingMessage): string => {
    const remote = peerOf(request);
    if (!isTrusted(remote)) return remote;
    const hops = String(request.headers["x-forwarded-for"] ?? "").split(",");
    for (const hop of hops.reverse().map((text) => text.trim())) {
      if (!ipaddr.isValid(hop)) return remote;
      if (!isTrusted(hop)) return plain(hop);
    }
    return remote;
  };
  return Object.assign(addressOf, { isTrustedPeer: (request: IncomingMessage) => isTrusted(peerOf(request)) });
}

function plain(address: string): string {
  return address.startsWith("::ffff:") ? address.slice(7) : address;
}
