import ipaddr from "ipaddr.js";

/**
 * Who supplied an address. "public": anyone below root; only globally routable addresses may be reached. "operator":
 * root or the environment; private networks are allowed too.
 */
export type Trust = "public" | "operator";

export type AllowedRanges = readonly [ipaddr.IPv4 | ipaddr.IPv6, number][];

/** Ranges allowed for "operator" only. */
const PRIVATE = new Set(["loopback", "private", "uniqueLocal", "carrierGradeNat"]);
/** Cloud metadata services outside the link-local ranges; they hand out a machine's credentials. */
const METADATA = new Set(["100.100.100.200", "fd00:ec2::254"]);
/** The prefix of IPv6 addresses that stand for an IPv4 address on IPv6-only networks (RFC 6052). */
const NAT64 = ipaddr.parseCIDR("64:ff9b::/96");

/** The only IPv6 addresses that are handed out for the Internet. The rest of "unicast" has other uses, such as ::/96. */
const GLOBAL_IPV6 = ipaddr.parseCIDR("2000::/3");

/** Comma-separated addresses and CIDR ranges. Throws on any other entry. */
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

/** Returns the IPv4 address when it is embedded in an IPv6 address (IPv4-mapped or NAT64). */
function unwrap(text: string): ipaddr.IPv4 | ipaddr.IPv6 {
  const address = ipaddr.process(text);
  if (address.kind() !== "ipv6" || !address.match(NAT64)) return address;
  return ipaddr.fromByteArray(address.toByteArray().slice(12));
}

/**
 * Whether a connection to this address is allowed. Loopback, private, link-local, carrier-grade NAT, multicast,
 * reserved, tunnel and cloud metadata addresses are refused for "public". An operator may reach private ones, but never
 * link-local or metadata. Addresses in `allowed` are always accepted. Text that is not an address is refused.
 */
export function mayConnect(text: string, trust: Trust, allowed: AllowedRanges): boolean {
  if (!ipaddr.isValid(text)) return false;
  const address = unwrap(text);
  if (allowed.some(([network, bits]) => network.kind() === address.kind() && address.match(network, bits))) return true;
  if (METADATA.has(address.toString())) return false;
  const range = address.range();
  if (range !== "unicast") return trust === "operator" && PRIVATE.has(range);
  return address.kind() === "ipv4" || address.match(GLOBAL_IPV6);
}
