import { SESSION_COOKIE } from "@/lib/auth/session-token";
import { AppError } from "@/lib/errors";
import { cookieIn } from "@/lib/request/cookie";

/** Headers that a page of another site cannot add to a request without asking us first, which we never allow. */
const OWN_CLIENT_HEADERS = ["new-api-user", "authorization", "next-action"];

/** Which page sent a request: one of this site, one of another, or "unknown" for clients that do not say. */
export type Origin = "own" | "other" | "unknown";

/**
 * Reads where a request comes from: Sec-Fetch-Site, else Origin, else Referer compared with the host that the gateway
 * passes on. Another host of the same site counts as another site, because whoever runs it is not this console.
 */
export function originOf(headers: Headers): Origin {
  const site = headers.get("sec-fetch-site");
  if (site === "same-origin" || site === "none") return "own";
  if (site === "cross-site") return "other";
  const stated = headers.get("origin") ?? headers.get("referer");
  if (stated === null) return site === null ? "unknown" : "other";
  return isOwnPage(stated, headers.get("x-forwarded-host") ?? headers.get("host") ?? "") ? "own" : "other";
}

function isOwnPage(page: string, host: string): boolean {
  if (host === "" || !URL.canParse(page)) return false;
  const { protocol, host: pageHost } = new URL(page);
  const own = `${protocol}//${host}`;
  // Parsed, so that a default port written out is the same host.
  return /^https?:$/.test(protocol) && URL.canParse(own) && new URL(own).host === pageHost;
}

/** Guards every call that changes something: throws forbidden when another site's page sent it. */
export function refuseOtherSites(headers: Headers): void {
  if (originOf(headers) === "other") throw new AppError("forbidden", "crossSite");
}

/**
 * The same for calls that act for the owner of the session cookie: those that rely on the cookie alone must also say
 * where they come from.
 */
export function requireOwnOrigin(headers: Headers): void {
  refuseOtherSites(headers);
  if (originOf(headers) === "own" || OWN_CLIENT_HEADERS.some((name) => headers.has(name))) return;
  if (cookieIn(headers, SESSION_COOKIE) !== undefined) throw new AppError("forbidden", "crossSite");
}
