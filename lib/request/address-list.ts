import ipaddr from "ipaddr.js";

export type AddressRange = [ipaddr.IPv4 | ipaddr.IPv6, number];

/** An address or a CIDR range; null = it is neither. */
export function readRange(text: string): AddressRange | null {
  try {
    if (text.includes("/")) return ipaddr.parseCIDR(text);
    const address = ipaddr.process(text);
    return [address, address.kind() === "ipv4" ? 32 : 128];
  } catch {
    return null;
  }
}

export function isWithin(address: ipaddr.IPv4 | ipaddr.IPv6, [network, bits]: AddressRange): boolean {
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
