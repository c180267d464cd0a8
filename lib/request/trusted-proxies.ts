import { isIP } from "node:net";
import ipaddr from "ipaddr.js";
import { type AddressRange, isWithin, readRange } from "./address-list";

/** TRUST_PROXY, read. */
export type TrustedProxies = { ranges: AddressRange[]; names: string[] };

/** Names for ranges, as in Express, nginx and Caddy; `private` is what those call private networks. */
const PRIVATE = ["10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "fc00::/7"];
const NAMED: Record<string, readonly string[]> = {
  loopback: ["127.0.0.0/8", "::1/128"],
  linklocal: ["169.254.0.0/16", "fe80::/10"],
  uniquelocal: PRIVATE,
  private: PRIVATE,
};
const FORMS =
  "addresses (10.0.0.7, fd00::7), CIDR ranges (10.0.0.0/8), host names, loopback, linklocal, uniquelocal and private, with commas between";
/** What others take, and what it would open here. */
const ALL = new Set(["true", "*", "all", "any", "yes", "1"]);

/** What others write for none; else the words would be names of hosts. */
const NONE = new Set(["false", "0", "no", "off", "none"]);

/** Reads TRUST_PROXY. Throws an error that says which entry cannot be read, and what it may be. */
export function readTrustedProxies(text: string): TrustedProxies {
  const read: TrustedProxies = { ranges: [], names: [] };
  if (NONE.has(text.trim().toLowerCase())) return read;
  for (const entry of text.split(/[\s,]+/).filter(Boolean)) {
    const lower = entry.toLowerCase();
    const named = NAMED[lower];
    if (named) read.ranges.push(...named.map(readRange).filter((range) => range !== null));
    else if (ALL.has(lower)) throw unreadable(entry, "would let every caller choose its own address; name the proxy");
    else if (isHostName(lower)) read.names.push(lower.replace(/\.$/, ""));
    else read.ranges.push(rangeOf(entry));
  }
  return read;
}

function rangeOf(entry: string): AddressRange {
  const plain = entry.replace(/^\[(.*)\]$/, "$1");
  // ipaddr.js also takes 10.1 and 0x7f.1, which nobody means.
  const [address = ""] = plain.split("/");
  const range = isIP(address) === 0 ? null : readRange(plain);
  if (range === null) throw unreadable(entry, "cannot be read");
  return isMapped(range) ? [range[0].toIPv4Address(), range[1] - 96] : range;
}

function isMapped(range: AddressRange): range is [ipaddr.IPv6, number] {
  const [address, bits] = range;
  return address instanceof ipaddr.IPv6 && address.isIPv4MappedAddress() && bits >= 96;
}

/** The last part of a name has a letter, so that 10.0.0 and 10.0.0.256 are none. */
function isHostName(text: string): boolean {
  const labels = text.replace(/\.$/, "").split(".");
  const isName = text.length <= 253 && labels.every((label) => /^[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?$/.test(label));
  return isName && /[a-z]/.test(labels.at(-1) ?? "") && !/^0x[0-9a-f]*$/.test(labels.at(-1) ?? "");
}

function unreadable(entry: string, why: string): Error {
  return new Error(`has the entry "${entry.slice(0, 80)}", which ${why}. It takes ${FORMS}.`);
}

/** Whether an address is one of the ranges. */
export function isOf(text: string, ranges: readonly AddressRange[]): boolean {
  if (ranges.length === 0 || !ipaddr.isValid(text)) return false;
  const address = ipaddr.process(text);
  return ranges.some((range) => isWithin(address, range));
}
