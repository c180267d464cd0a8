import type { IncomingHttpHeaders, IncomingMessage } from "node:http";
import { KEY_HEADERS } from "./browsers";

/**
 * Clients put a path behind the base URL that their user has set, and people leave out its `/v1`, repeat it, end it with a
 * slash, or copy a longer address. These functions find the paths that were meant.
 */

const VERSION = /^(v1|v2|v1alpha|v1beta\d*)$/;
/** Folders that other gateways and makers have in front of the version. */
const FOLDERS = new Set(["openai", "anthropic", "gemini"]);
/** No path that is served has more segments. */
const SEGMENTS_MAX = 16;

/** The paths that a path may stand for, the likeliest first; a path that is well formed has itself only. */
export function likelyPaths(path: string): string[] {
  const parts = segmentsOf(path);
  if (parts.length === 0 || parts.length > SEGMENTS_MAX) return [];
  const [version, folder, ...rest] = parts;
  // Google's address for OpenAI's clients.
  const forOpenai = version === "v1beta" && folder === "openai" ? likelyPaths(rest.join("/")) : [];
  return [...new Set([`/${parts.join("/")}`, withOneVersion(parts), ...forOpenai])];
}

/** The paths behind the first, second … segment, for a base URL that has more in front of the version. */
export function pathsWithin(path: string): string[] {
  const parts = segmentsOf(path);
  if (parts.length > SEGMENTS_MAX) return [];
  // A single segment, such as files, would fit too many paths.
  return parts.slice(2).flatMap((_, at) => likelyPaths(parts.slice(at + 1).join("/")));
}

function segmentsOf(path: string): string[] {
  return path.split("/").filter((part) => part !== "");
}

function withOneVersion(parts: readonly string[]): string {
  const rest = [...parts];
  while (rest.length > 1 && FOLDERS.has(rest[0] ?? "")) rest.shift();
  while (isVersion(rest[0]) && isVersion(rest[1])) rest.shift();
  if (rest[0] === "v1" && rest[1] === "openai") rest.splice(1, 1);
  if (isVersion(rest[0])) return `/${rest.join("/")}`;
  const isGoogle = rest[0] === "models" && (rest.at(-1) ?? "").includes(":");
  return `/${isGoogle ? "v1beta" : "v1"}/${rest.join("/")}`;
}

function isVersion(part: string | undefined): boolean {
  return part !== undefined && VERSION.test(part);
}

/** Paths of the console, which has answers of its own for every method, and of probes, which monitors may send a key to. */
const CONSOLE = /^\/((api|pg|_next)(\/|\?|$)|(healthz|readyz)$)/;
const FORM = /^\s*(application\/x-www-form-urlencoded|multipart\/form-data)/i;

type Request = Pick<IncomingMessage, "method" | "url" | "headers">;

/** True where a request outside the paths of AI APIs comes from a program that expects JSON, never a page. */
export function isCallOfProgram(request: Request): boolean {
  const { method, headers } = request;
  if (isOfConsole(request)) return false;
  return hasKey(headers) || !(isReading(method) || FORM.test(headers["content-type"] ?? ""));
}

/**
 * True where a request is a program's if its path is that of an API: it has what may be a key. Proxies send tokens of their
 * own to the console, and its lists have a filter of the name in their addresses.
 */
export function maySendKey(request: Request): boolean {
  if (isOfConsole(request)) return false;
  const { url = "/", headers } = request;
  return KEY_HEADERS.some((name) => headers[name] !== undefined) || /[?&]key=/.test(url);
}

/** What programs in Java accept where they do not say, although they want no page. */
const JAVA = "text/html, image/gif";

/** Browsers open pages and post forms before a page's scripts run; Next's scripts fetch parts of pages and call server actions. */
function isOfConsole({ method, url = "/", headers }: Request): boolean {
  if (method === "OPTIONS" || CONSOLE.test(url)) return true;
  if (headers["next-action"] !== undefined || headers.rsc !== undefined) return true;
  const { accept = "" } = headers;
  const wantsPage = isReading(method) && accept.includes("text/html") && !accept.startsWith(JAVA);
  return wantsPage || headers["sec-fetch-mode"] === "navigate";
}

function isReading(method: string | undefined): boolean {
  return method === "GET" || method === "HEAD" || method === undefined;
}

/** Whether a request has a key of the gateway in a header. */
function hasKey(headers: IncomingHttpHeaders): boolean {
  if (headers["x-api-key"] !== undefined || headers["x-goog-api-key"] !== undefined) return true;
  return /^bearer\s+sk-/i.test(headers.authorization ?? "");
}

/** The method that a browser asks about before a script of another site may use it; null = the request is no such question. */
export function methodAskedFor({ method, headers }: Pick<IncomingMessage, "method" | "headers">): string | null {
  if (method !== "OPTIONS" || headers.origin === undefined) return null;
  return headers["access-control-request-method"] ?? null;
}
