import type { IncomingHttpHeaders } from "node:http";
import { isIP } from "node:net";

/** A proxy's word about one hop. `address`: "" = it is hidden or cannot be read. */
export type Hop = { address: string; proto: string; host: string };

/**
 * What proxies say of a request's way, the first hop first. X-Forwarded-For goes before Forwarded (RFC 7239): proxies that set the
 * former hand the latter on as the caller sent it, so the two never count together.
 */
export function readHops(headers: IncomingHttpHeaders): Hop[] {
  const listed = headers["x-forwarded-for"];
  if (listed !== undefined) {
    return String(listed)
      .split(",")
      .map((text) => ({ address: addressIn(text.trim()), proto: "", host: "" }));
  }
  return typeof headers.forwarded === "string" ? readForwarded(headers.forwarded) : [];
}

/** The address without the port that some proxies add (1.2.3.4:5678, [::1]:123), without brackets or a zone. */
export function addressIn(text: string): string {
  const [, bracketed] = /^\[([^\]]+)\](?::[\w.-]*)?$/.exec(text) ?? [];
  const [, withPort] = /^([^:]+):[\w.-]+$/.exec(text) ?? [];
  const address = (bracketed ?? withPort ?? text).replace(/%[\w.-]+$/, "");
  return isIP(address) === 0 ? "" : address;
}

const PAIR = /\s*([!#$%&'*+.^_`|~\w-]+)=(?:"((?:[^"\\]|\\.)*)"|([^\s",;]*))\s*(?=[;,]|$)/y;

/** RFC 7239 §4. From what cannot be read on, to its left and its right, nothing is believed: [] then. */
function readForwarded(text: string): Hop[] {
  const hops: Hop[] = [];
  let hop: Hop = { address: "", proto: "", host: "" };
  let at = 0;
  while (at < text.length) {
    PAIR.lastIndex = at;
    const pair = PAIR.exec(text);
    if (!pair) return [];
    const value = pair[2]?.replaceAll(/\\(.)/g, "$1") ?? pair[3] ?? "";
    take(hop, (pair[1] ?? "").toLowerCase(), value);
    at = PAIR.lastIndex;
    if (text[at] === "," || at >= text.length) {
      hops.push(hop);
      hop = { address: "", proto: "", host: "" };
    }
    at += 1;
  }
  return hops;
}

function take(hop: Hop, name: string, value: string): void {
  if (name === "for") hop.address = addressIn(value);
  else if (name === "proto") hop.proto = value.toLowerCase();
  else if (name === "host") hop.host = value;
}
