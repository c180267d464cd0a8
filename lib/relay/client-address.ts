import type { IncomingMessage } from "node:http";
import ipaddr from "ipaddr.js";

type Range = [ipaddr.IPv4 | ipaddr.IPv6, number];

function readRange(text: string): Range | null {
  try {
    if (text.includes("/")) return ipaddr.parseCIDR(text);
    const address = ipaddr.process(text);
    return [address, address.kind() === "ipv4" ? 32 : 128];
  } catch {
    return null;
  }
}

function isWithin(address: ipaddr.IPv4 | ipaddr.IPv6, [network, bits]: Range): boolean {
  return address.kind() === network.kind() && address.match(network, bits);
}

/** Whether the address is in the list of addresses and CIDR ranges. Invalid entries match nothing. */
export function isListed(address: string, list: readonly string[]): boolean {
  if (list.length === 0 || !ipaddr.isValid(address)) return false;
  const parsed = ipaddr.process(address);
  return list.some((entry) => {
    const range = readRange(entry);
    return range !== null && isWithin(parsed, range);
  });
}

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
