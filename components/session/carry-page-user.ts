import { HttpError } from "@/components/form/call-api";
import { checkSession, statedPageUser } from "@/components/form/session-keeper";
import { OTHER_USER_HEADER, PAGE_USER_HEADER, SESSION_PATH } from "@/lib/page-user";

const patched = globalThis as typeof globalThis & { weirCarriesPageUser?: boolean };

/**
 * Makes every request of this page to its own site carry whom the page was made for: server actions, calls of /api and
 * /pg, data of pages. One that is refused because somebody else has signed in makes the page ask who it is.
 */
export function carryPageUser(): void {
  if (patched.weirCarriesPageUser) return;
  patched.weirCarriesPageUser = true;
  const send = window.fetch;
  window.fetch = async (input, init) => {
    const response = await send(input, isOwn(input) ? withPageUser(input, init) : init);
    if (response.headers.has(OTHER_USER_HEADER)) void checkSession();
    rejectRefusedAction(init, response);
    return response;
  };
}

function isOwn(input: RequestInfo | URL): boolean {
  const text = input instanceof Request ? input.url : String(input);
  if (!URL.canParse(text, window.location.href)) return false;
  const url = new URL(text, window.location.href);
  return url.origin === window.location.origin && url.pathname !== SESSION_PATH;
}

function withPageUser(input: RequestInfo | URL, init: RequestInit | undefined): RequestInit | undefined {
  const stated = statedPageUser();
  if (stated === null) return init;
  const headers = new Headers(init?.headers ?? (input instanceof Request ? input.headers : undefined));
  headers.set(PAGE_USER_HEADER, stated);
  return { ...init, headers };
}

/**
 * Makes a server action that was refused before it ran (by a rate limiter, a proxy, a restart) reject with the HTTP status.
 * Next.js itself reports only a generic message without the status.
 */
function rejectRefusedAction(init: RequestInit | undefined, response: Response): void {
  const isAction = new Headers(init?.headers).has("next-action");
  const isAnswer = response.headers.get("content-type")?.startsWith("text/x-component") ?? false;
  const isOutdated = response.headers.has("x-nextjs-action-not-found");
  if (isAction && !isAnswer && !isOutdated && response.status >= 400) throw new HttpError(response.status);
}
