import type { Dispatcher } from "undici";
import { AppError } from "@/lib/errors";
import type { AllowedRanges, Trust } from "./address";
import { decode, isPacked, readBounded, tooLarge } from "./body";
import { guardedLookup, resolveFor } from "./connect";
import type { Resolve } from "./names";
import { proxyFor } from "./outgoing-proxy";
import { tlsReasonOf } from "./tls-reason";
import { allowedRanges, checkEgressUrl } from "./url";
import { outgoingConnector } from "./via-proxy";

export type { Trust } from "./address";
export { addressesOf, guardedConnect, guardedConnector } from "./connect";
export { guardedHttpOptions } from "./http-options";
export { hasOutgoingProxy } from "./outgoing-proxy";
export { checkEgressUrl, isNamedByOperator } from "./url";
export { outgoingAgent } from "./via-proxy";

export type EgressOptions = {
  method?: "GET" | "HEAD" | "POST" | "PUT" | "PATCH" | "DELETE";
  headers?: Readonly<Record<string, string>>;
  body?: string | Buffer;
  /** For the whole call: DNS, connection, redirects and body. Default 10 s. */
  timeoutMs?: number;
  /** Limit of the response body. Default 1 MiB. */
  maxBytes?: number;
  /** Who supplied the URL; see Trust. Default "public". */
  trust?: Trust;
  /** How many redirects are followed; with 0, the default, a redirect is returned like any other response. */
  redirects?: number;
  signal?: AbortSignal;
  /** Told of bytes of the answer before they are kept, and before they are unpacked; what it throws ends the call. */
  onBytes?: (bytes: number) => void;
  /** Addresses that are always allowed; default WEIR_EGRESS_ALLOW. */
  allowed?: AllowedRanges;
  resolve?: Resolve;
};

export type EgressReply = {
  status: number;
  /** Names in lower case; repeated headers are joined by a comma. */
  headers: Record<string, string>;
  body: Buffer;
  /** The final URL, after redirects. */
  url: string;
};

const timeoutDefaultMs = 10_000;
const bytesDefault = 1_048_576;
/** As the system and name servers say it. */
const UNKNOWN_HOST = new Set(["ENOTFOUND", "EAI_AGAIN", "ENODATA", "ESERVFAIL", "EBADNAME"]);
const REDIRECTS = new Set([301, 302, 303, 307, 308]);
/** Dropped when a redirect leads to another origin. */
const OWN_HEADERS = new Set(["authorization", "cookie", "proxy-authorization"]);

type Settled = Required<Omit<EgressOptions, "body" | "signal" | "resolve" | "onBytes">> & {
  body: string | Buffer | null;
  signal: AbortSignal;
  onBytes: ((bytes: number) => void) | undefined;
  /** What `onBytes` has thrown; null = nothing. */
  stopped: { by: unknown };
  /** Undefined = as usual for who supplied the address. */
  resolve: Resolve | undefined;
};
type Step = Pick<Settled, "method" | "headers" | "body" | "trust"> & { url: URL };

/**
 * The only way to request a URL that a person entered: webhooks, images, discovery documents, payment and captcha
 * services. Resolves the name, checks each address against `trust`, and connects only to a checked address. Each
 * redirect is checked again; one to another host is treated as "public". Any HTTP status is returned. Throws AppError
 * "invalid" when the URL is not allowed, "upstream" when there is no response within the time and size limits.
 */
export async function egressFetch(url: string, options: EgressOptions = {}): Promise<EgressReply> {
  const settled = settle(options);
  let step: Step = {
    url: checkEgressUrl(url, settled.trust, settled.allowed),
    method: settled.method,
    headers: settled.headers,
    body: settled.body,
    trust: settled.trust,
  };
  try {
    for (let left = settled.redirects; ; left -= 1) {
      const reply = await ask(step, settled);
      const target = reply.headers.location;
      if (settled.redirects === 0 || !REDIRECTS.has(reply.status) || target === undefined) return reply;
      if (left === 0) throw new AppError("upstream", "egressRedirects");
      step = follow(step, reply.status, target, settled.allowed);
    }
  } catch (error) {
    throw settled.stopped.by ?? explain(error, settled.signal, new URL(url).host);
  }
}

function settle(options: EgressOptions): Settled {
  const { onBytes } = options;
  const stopped: Settled["stopped"] = { by: null };
  const timeout = AbortSignal.timeout(options.timeoutMs ?? timeoutDefaultMs);
  return {
    method: options.method ?? "GET",
    headers: options.headers ?? {},
    body: options.body ?? null,
    timeoutMs: options.timeoutMs ?? timeoutDefaultMs,
    maxBytes: options.maxBytes ?? bytesDefault,
    trust: options.trust ?? "public",
    redirects: options.redirects ?? 0,
    allowed: options.allowed ?? allowedRanges(),
    resolve: options.resolve,
    onBytes: onBytes && ((bytes) => keepThrown(() => onBytes(bytes), stopped)),
    stopped,
    signal: options.signal ? AbortSignal.any([options.signal, timeout]) : timeout,
  };
}

function keepThrown(run: () => void, stopped: Settled["stopped"]): void {
  try {
    run();
  } catch (error) {
    stopped.by = error;
    throw error;
  }
}

/** One request over its own connection. */
async function ask(step: Step, settled: Settled): Promise<EgressReply> {
  const { timeoutMs, signal, allowed, resolve } = settled;
  signal.throwIfAborted();
  const { trust } = step;
  const proxy = proxyFor(step.url);
  const { Client } = await import("undici");
  const client = new Client(step.url.origin, {
    connect:
      proxy === ""
        ? { timeout: timeoutMs, lookup: guardedLookup(trust, allowed, resolve) }
        : outgoingConnector(proxy, timeoutMs, { trust, allowed, resolve: resolve ?? resolveFor(trust) }),
    headersTimeout: timeoutMs,
    bodyTimeout: timeoutMs,
  });
  try {
    const response = await client.request({
      method: step.method,
      path: step.url.pathname + step.url.search,
      headers: { "user-agent": "weir", accept: "*/*", ...step.headers, "accept-encoding": "identity" },
      body: step.body,
      signal,
    });
    const headers = plainHeaders(response.headers);
    const isRedirect = settled.redirects > 0 && REDIRECTS.has(response.statusCode) && headers.location !== undefined;
    const body = isRedirect ? Buffer.alloc(0) : await readBody(response, headers, step.method, settled);
    return { status: response.statusCode, headers, body, url: step.url.href };
  } finally {
    // Not awaited: a connection still being opened would delay the result.
    client.destroy().catch(() => {});
  }
}

async function readBody(
  { body }: Dispatcher.ResponseData,
  headers: Record<string, string>,
  method: string,
  { maxBytes, onBytes }: Pick<Settled, "maxBytes" | "onBytes">,
): Promise<Buffer> {
  if (method === "HEAD") return Buffer.alloc(0);
  if (Number(headers["content-length"] ?? 0) > maxBytes) {
    // Destroying the client aborts the unread body; without a handler that error would be unhandled.
    body.on("error", () => {});
    throw tooLarge(maxBytes);
  }
  const length = Number(headers["content-length"]);
  // Where the length is known, all of it is announced before the first byte.
  if (length > 0) onBytes?.(length);
  const received = await readBounded(body, maxBytes, length > 0 ? undefined : onBytes);
  const encoding = headers["content-encoding"];
  // Unpacked, it may be as large as is allowed.
  if (isPacked(encoding)) onBytes?.(maxBytes);
  return decode(received, encoding, maxBytes);
}

/** The next request for a redirect, by the rules of browsers. Throws AppError when the target is not allowed. */
function follow(step: Step, status: number, target: string, allowed: AllowedRanges): Step {
  if (!URL.canParse(target, step.url.href)) throw new AppError("upstream", "egressRedirectInvalid");
  const next = new URL(target, step.url.href);
  const isSameHost = next.hostname === step.url.hostname;
  const trust: Trust = isSameHost ? step.trust : "public";
  const url = checkEgressUrl(next.href, trust, allowed);
  if (step.url.protocol === "https:" && url.protocol !== "https:") {
    throw new AppError("upstream", "egressRedirectInvalid");
  }
  const becomesGet = status === 303 ? step.method !== "HEAD" : status < 303 && step.method === "POST";
  const isSameOrigin = url.origin === step.url.origin;
  // A body may hold a secret meant for the first origin only.
  if (!becomesGet && step.body !== null && !isSameOrigin) throw new AppError("upstream", "egressRedirectInvalid");
  const headers = Object.entries(step.headers).filter(([name]) => {
    const lower = name.toLowerCase();
    return !(OWN_HEADERS.has(lower) && !isSameOrigin) && !(becomesGet && lower.startsWith("content-"));
  });
  return {
    url,
    trust,
    method: becomesGet ? "GET" : step.method,
    headers: Object.fromEntries(headers),
    body: becomesGet ? null : step.body,
  };
}

function plainHeaders(headers: Dispatcher.ResponseData["headers"]): Record<string, string> {
  const plain: Record<string, string> = {};
  for (const [name, value] of Object.entries(headers)) {
    if (value !== undefined) plain[name] = Array.isArray(value) ? value.join(", ") : value;
  }
  return plain;
}

/** Turns an error into an AppError whose message contains only the URL's host, never its path or query. */
function explain(error: unknown, signal: AbortSignal, host: string): unknown {
  const own = causeOf(error);
  if (own) return own;
  if (signal.aborted) {
    const isTimeout = signal.reason instanceof DOMException && signal.reason.name === "TimeoutError";
    return isTimeout ? new AppError("upstream", "egressTimeout", { host }, error) : error;
  }
  const code = (error as { code?: unknown }).code;
  const name = typeof code === "string" ? code : "";
  if (/TIMEOUT/.test(name)) return new AppError("upstream", "egressTimeout", { host }, error);
  if (UNKNOWN_HOST.has(name)) return new AppError("upstream", "egressUnknownHost", { host }, error);
  const tls = tlsReasonOf(error);
  if (tls) return new AppError("upstream", "egressTls", { host, reason: tls }, error);
  return new AppError("upstream", "egressFailed", { host, reason: name || "error" }, error);
}

function causeOf(error: unknown): AppError | null {
  if (error instanceof AppError) return error;
  return error instanceof Error && error.cause instanceof AppError ? error.cause : null;
}
