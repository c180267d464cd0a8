import type { IncomingHttpHeaders, IncomingMessage } from "node:http";
import { RelayError } from "../base/relay-error";

/**
 * The relay shares its origin with the console. What an upstream sends must therefore never become a page there: every
 * answer has a type from a list and these headers, and no browser gets to show one as a page.
 */
export const NO_PAGE = {
  "x-content-type-options": "nosniff",
  "content-security-policy": "default-src 'none'; sandbox",
} as const;

/** One type with its parameters. A browser reads a list of types as the last one of it. */
const ONE_TYPE = /^([\w.+-]+\/[\w.+-]+) *(; *[\w-]+=("[\w ,./:+-]*"|[\w./:+-]+) *)*;?$/;
/** One type, with parameters that are not understood. */
const BARE_TYPE = /^([\w.+-]+\/[\w.+-]+) *;[^,]*$/;
const SHOWN =
  /^(application\/(json|[\w.-]+\+json|jsonl|x-jsonlines|(x-)?ndjson|octet-stream)|text\/(plain|event-stream))$/i;
const MEDIA = /^(audio|video|image)\//i;
/** Images and the like that are documents, in which a browser runs scripts. */
const MARKUP = /xml|svg|html/i;
const TEXT = /^text\//i;

/**
 * The content type that an answer may have: JSON, events, plain text, sound, pictures, films and bytes as they are named.
 * Every other text is plain text, and everything else is bytes. Parameters that are not understood are left out.
 */
export function safeContentType(type: string): string {
  if (type === "application/json" || type === "text/event-stream") return type;
  const [whole, name = ""] = ONE_TYPE.exec(type) ?? [];
  const bare = whole === undefined ? BARE_TYPE.exec(type)?.[1] : undefined;
  if (bare !== undefined) return safeContentType(bare);
  if (whole === undefined) return TEXT.test(type) ? "text/plain" : "application/octet-stream";
  if (SHOWN.test(name) || (MEDIA.test(name) && !MARKUP.test(name))) return type;
  return TEXT.test(name) ? "text/plain" : "application/octet-stream";
}

const DOCUMENTS = new Set(["document", "iframe", "frame", "fencedframe", "embed", "object"]);
const FORM = /^\s*(application\/x-www-form-urlencoded|multipart\/form-data|text\/plain)/i;
/** Where callers put their key. A form of a page cannot send any of these. */
export const KEY_HEADERS = ["authorization", "x-api-key", "x-goog-api-key", "mj-api-secret"];

/**
 * Throws 403 for a request by which a browser would show the answer as a page: a link, a frame or a form, of whatever site.
 * Only a page sends these headers; the calls of programs, and of scripts in pages, are not touched.
 */
export function refuseNavigation({ method, headers }: Pick<IncomingMessage, "method" | "headers">): void {
  if (!isNavigation(headers) && !isForm(method, headers)) return;
  throw new RelayError("navigation_refused", "this address answers programs; a browser cannot open it as a page");
}

/** Browsers leave out Sec-Fetch-* where they were asked without TLS, but not Upgrade-Insecure-Requests. */
function isNavigation(headers: IncomingHttpHeaders): boolean {
  const mode = headers["sec-fetch-mode"];
  if (mode === undefined) return headers["upgrade-insecure-requests"] !== undefined;
  return mode === "navigate" || DOCUMENTS.has(String(headers["sec-fetch-dest"]));
}

/** A posted form of a browser that sends neither: it has its page's Origin, the type of a form, and no header with a key. */
function isForm(method: string | undefined, headers: IncomingHttpHeaders): boolean {
  if (method !== "POST" || headers.origin === undefined || headers["sec-fetch-mode"] !== undefined) return false;
  return FORM.test(headers["content-type"] ?? "") && !KEY_HEADERS.some((name) => headers[name] !== undefined);
}
