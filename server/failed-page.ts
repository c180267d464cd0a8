import { AsyncLocalStorage } from "node:async_hooks";
import type { IncomingMessage, OutgoingHttpHeaders, ServerResponse } from "node:http";
import { isServerAway } from "@/db/trouble";
import type { PageFailures } from "@/lib/http/away-page";

const requests = new AsyncLocalStorage<{ isDatabaseAway: boolean }>();
const shared = globalThis as PageFailures;

/** An error with a text for people has another cause, e.g. an upstream that refuses connections. */
shared.weirPageFailed = (error) => {
  const request = requests.getStore();
  if (request && error instanceof Error && !("messageKey" in error)) request.isDatabaseAway ||= isServerAway(error);
};

/**
 * Next.js answers 500 to every page that fails before its first byte. Where it is the database that cannot serve, the answer is
 * the page that says so, with 503. Data for a page that is open keeps what Next.js makes of it.
 */
export function answerPage(
  request: IncomingMessage,
  response: ServerResponse,
  answer: () => Promise<void>,
): Promise<void> {
  const { method, headers } = request;
  if ((method !== "GET" && method !== "HEAD") || headers.rsc !== undefined) return answer();
  const state = { isDatabaseAway: false };
  const own = {
    writeHead: response.writeHead,
    flushHeaders: response.flushHeaders,
    write: response.write,
    end: response.end,
  };
  let isReplaced = false;

  /** Whether the page that says so is sent instead. */
  function replaces(status = response.statusCode): boolean {
    if (isReplaced || response.headersSent || status !== 500 || !state.isDatabaseAway) return isReplaced;
    const page = shared.weirAwayPage?.(headers);
    if (!page) return false;
    isReplaced = true;
    for (const name of response.getHeaderNames()) response.removeHeader(name);
    for (const [name, value] of Object.entries(page.headers)) response.setHeader(name, value);
    response.statusCode = page.status;
    // Each of them calls others.
    Object.assign(response, own);
    response.end(page.html, "utf8");
    Object.assign(response, {
      writeHead: () => response,
      flushHeaders: () => {},
      write: () => true,
      end: () => response,
    });
    return true;
  }

  Object.assign(response, {
    writeHead(status: number, ...rest: OutgoingHttpHeaders[]) {
      return replaces(status) ? response : own.writeHead.call(response, status, ...rest);
    },
    flushHeaders() {
      if (!replaces()) own.flushHeaders.call(response);
    },
    write(...args: Parameters<typeof own.write>) {
      return replaces() || own.write.apply(response, args);
    },
    end(...args: Parameters<typeof own.end>) {
      return replaces() ? response : own.end.apply(response, args);
    },
  });
  return requests.run(state, answer);
}
