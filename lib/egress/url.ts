import { isIP } from "node:net";
import { env } from "@/lib/env";
import { AppError } from "@/lib/errors";
import { type AllowedRanges, mayConnect, parseAllowedRanges, type Trust } from "./address";

const LOCAL_NAME = /(^|\.)localhost\.?$/i;

let parsed: { text: string; ranges: AllowedRanges } | undefined;

/** The ranges of WEIR_EGRESS_ALLOW, e.g. "10.0.0.0/8,fd00::/8". */
export function allowedRanges(): AllowedRanges {
  const text = env().WEIR_EGRESS_ALLOW;
  if (parsed?.text !== text) parsed = { text, ranges: parseAllowedRanges(text) };
  return parsed.ranges;
}

/** Whether the URL has an address, not a name, that only WEIR_EGRESS_ALLOW opens. */
export function isNamedByOperator(text: string): boolean {
  const host = URL.canParse(text) ? hostOf(new URL(text)) : "";
  return isIP(host) !== 0 && !mayConnect(host, "public", []) && mayConnect(host, "public", allowedRanges());
}

/** The host, with IPv6 addresses without brackets. */
function hostOf(url: URL): string {
  return url.hostname.startsWith("[") ? url.hostname.slice(1, -1) : url.hostname;
}

/**
 * Parses a URL and checks that it is allowed: http or https, no credentials, and no forbidden IP address in any
 * notation. Host names are resolved and checked at connect time. Throws AppError "invalid".
 */
export function checkEgressUrl(text: string, trust: Trust = "public", allowed = allowedRanges()): URL {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (!url || (url.protocol !== "https:" && url.protocol !== "http:") || url.hostname === "") {
    throw new AppError("invalid", "egressUrlInvalid");
  }
  if (url.username !== "" || url.password !== "") throw new AppError("invalid", "egressUrlCredentials");
  const host = hostOf(url);
  // These names mean this machine by definition (RFC 6761).
  const address = LOCAL_NAME.test(host) ? "127.0.0.1" : host;
  if (isIP(address) !== 0 && !mayConnect(address, trust, allowed)) throw blocked(host);
  return url;
}

export function blocked(host: string): AppError {
  return new AppError("invalid", "egressBlocked", { host });
}
