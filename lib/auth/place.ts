import ipaddr from "ipaddr.js";
import { sha256Hex } from "@/lib/crypto";
import { readUserAgent } from "./user-agent";

const PREFIX_BITS = { ipv4: 24, ipv6: 48 } as const;

/** The /24 of an IPv4 address or the /48 of an IPv6 address; "" for invalid text. */
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

/** A hash of browser, system and network, which identifies a place of sign-in without storing it in the clear. */
export function placeHash(place: { userId: number; clientIp: string; userAgent: string }): string {
  const { browser, system } = readUserAgent(place.userAgent);
  return sha256Hex([place.userId, browser, system, networkOf(place.clientIp)].join("\n"));
}
