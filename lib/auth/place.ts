import ipaddr from "ipaddr.js";
import { sha256Hex } from "@/lib/crypto";
import { readUserAgent } from "./user-agent";

const PREFIX_BITS = { ipv4: 24, ipv6: 48 } as const;

/** The network of an address: its /24, or its /48 for IPv6. "" for what is no address. */
export function networkOf(clientIp: string): string {
  if (!ipaddr.isValid(clientIp)) return "";
  const address = ipaddr.process(clientIp);
  const bits = PREFIX_BITS[address.kind()];
  const masked = address.toByteArray().map((byte, index) => {
    const kept = Math.min(8, Math.max(0, bits - index * 8));
    return byte & (0xff << (8 - kept));
  });
  return `${ipaddr.fromByteArray(masked).toString()}/${bits}`;
}

/** A place that an account signs in from: kind of browser, system and network, without saying which. */
export function placeHash(place: { userId: number; clientIp: string; userAgent: string }): string {
  const { browser, system } = readUserAgent(place.userAgent);
  return sha256Hex([place.userId, browser, system, networkOf(place.clientIp)].join("\n"));
}
