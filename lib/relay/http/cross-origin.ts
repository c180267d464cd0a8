import type { IncomingMessage, ServerResponse } from "node:http";

/**
 * Scripts of other sites may call the relay and read its answers (Cross-Origin Resource Sharing): each call has a key of
 * its own, and the relay looks at no cookie. The console and /api, which do, never answer this way.
 */

/** What a script may read of an answer besides its body. */
const EXPOSED = [
  ...[
    "x-oneapi-request-id",
    "x-request-id",
    "request-id",
    "retry-after",
    "retry-after-ms",
    "x-should-retry",
    "x-weir-resets-at",
    "link",
    "idempotent-replayed",
    "content-disposition",
  ],
  ...["requests", "tokens"].flatMap((kind) =>
    ["limit", "remaining", "reset"].map((part) => `x-ratelimit-${part}-${kind}`),
  ),
  ...["x-weir-queue-position", "x-weir-overhead-ms", "x-weir-estimated", "x-weir-conversation"],
].join(", ");
const METHODS = "GET, POST, PUT, PATCH, DELETE, OPTIONS";
/** A day; browsers shorten it. */
const MAX_AGE = "86400";
const HEADER_NAMES = /^[\w!#$%&'*+.^`|~-]+( *, *[\w!#$%&'*+.^`|~-]+)*$/;
const ANY = "*";

/** The value of Access-Control-Allow-Origin for a page's origin; null = the page is not allowed. */
function allowed(origin: string, origins: readonly string[]): string | null {
  if (origins.includes(ANY)) return ANY;
  return origins.includes(origin) ? origin : null;
}

/**
 * Adds what the browser wants to know to the answer of a request from a page. `origins`: the pages whose scripts may call,
 * "*" = all. To be called before the head of the answer is sent.
 */
export function allowReading(request: IncomingMessage, response: ServerResponse, origins: readonly string[]): void {
  const { origin } = request.headers;
  if (origin === undefined) return;
  const value = allowed(origin, origins);
  if (value !== ANY) response.setHeader("vary", "Origin");
  if (value === null) return;
  response.setHeader("access-control-allow-origin", value);
  response.setHeader("access-control-expose-headers", EXPOSED);
}

/** Answers a browser that asks what a script may send. It has no key then, and needs none. */
export function answerPreflight(request: IncomingMessage, response: ServerResponse, origins: readonly string[]): void {
  const { headers } = request;
  allowReading(request, response, origins);
  response.setHeader("cache-control", "no-store");
  if (response.hasHeader("access-control-allow-origin")) {
    response.removeHeader("access-control-expose-headers");
    response.setHeader("access-control-allow-methods", METHODS);
    const wanted = headers["access-control-request-headers"];
    if (wanted !== undefined && HEADER_NAMES.test(wanted)) response.setHeader("access-control-allow-headers", wanted);
    response.setHeader("access-control-max-age", MAX_AGE);
    // Chrome asks this of a page on the internet that calls an address of the local network.
    if (headers["access-control-request-private-network"] === "true") {
      response.setHeader("access-control-allow-private-network", "true");
    }
  }
  response.statusCode = 204;
  response.end();
  request.resume();
}
