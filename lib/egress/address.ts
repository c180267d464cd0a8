import ipaddr from "ipaddr.js";

/**
 * Whom an address was named by. "public": anybody below root; only globally routable addresses are reached.
 * "operator": root or the environment; a private network is fine too.
 */
export type Trust = "public" | "operator";

export type AllowedRanges = readonly [ipaddr.IPv4 | ipaddr.IPv6, number][];

/** Ranges that only an operator may name. */
const PRIVATE = new Set(["loopback", "private", "uniqueLocal", "carrierGradeNat"]);
/** Where clouds answer with a machine's credentials outside of link-local ranges. */
const METADATA = new Set(["100.100.100.200", "fd00:ec2::254"]);
/** Addresses on a network without IPv4 that stand for an IPv4 address (RFC 6052). */
const NAT64 = ipaddr.parseCIDR("64:ff9b::/96");

/** Comma-separated addresses and CIDR ranges. Throws on an entry that is neither. */
export function parseAllowedRanges(text: string): AllowedRanges {
  const entries = text.split(",").map((entry) => entry.trim());
  return entries.filter((entry) => entry !== "").map(parseRange);
}

function parseRange(entry: string): [ipaddr.IPv4 | ipaddr.IPv6, number] {
  if (entry.includes("/") && ipaddr.isValidCIDR(entry)) return ipaddr.parseCIDR(entry);
  if (!ipaddr.isValid(entry)) throw new Error(`WEIR_EGRESS_ALLOW: "${entry}" is neither an address nor a CIDR range`);
  const address = ipaddr.process(entry);
  return [address, address.kind() === "ipv4" ? 32 : 128];
}

/** The address as it is routed: an IPv4 address written as IPv6 is that IPv4 address. */
function unwrap(text: string): ipaddr.IPv4 | ipaddr.IPv6 {
  const address = ipaddr.process(text);
  if (address.kind() !== "ipv6" || !address.match(NAT64)) return address;
  return ipaddr.fromByteArray(address.toByteArray().slice(12));
}

/**
 * Whether a connection to this address may be made. Loopback, private, link-local, carrier-grade NAT, multicast, reserved,
 * tunnel and cloud-metadata addresses are refused for "public"; an operator may reach private ones, never link-local or
 * metadata. What `allowed` lists is always reached. Text that is no address is refused.
 */
export function mayConnect(text: string, trust: Trust, allowed: AllowedRanges): boolean {
  if (!ipaddr.isValid(text)) return false;
  const address = unwrap(text);
  if (allowed.some(([network, bits]) => network.kind() === address.kind() && address.match(network, bits))) return true;
  if (METADATA.has(address.toString())) return false;
  const range = address.range();
  return range === "unicast" || (trust === "operator" && PRIVATE.has(range));
}
