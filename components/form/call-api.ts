import { readStored } from "@/components/shell/stored";

const TIMEOUT_MS = 30_000;
/** Value of the user id header when nobody is signed in. */
const NOBODY = "-1";

/** The server answered with an error status. */
export class HttpError extends Error {
  readonly status: number;

  constructor(status: number) {
    super(`HTTP ${status}`);
    this.name = "HttpError";
    this.status = status;
  }
}

/** The server answered success = false; the message is already translated. */
export class RefusedError extends Error {
  override name = "RefusedError";
}

type Reply<Data> = { success: boolean; message: string; data: Data };

type Call = { method?: string; body?: unknown };

/**
 * Calls /api with the headers of the contract (user id, no caching). Returns the envelope on success; throws HttpError,
 * RefusedError, or the error of fetch when there is no response.
 */
export async function callApi<Data>(path: string, init: Call = {}): Promise<Reply<Data>> {
  const reply = (await fetchApi(path, init)) as Reply<Data>;
  if (!reply.success) throw new RefusedError(reply.message);
  return reply;
}

/** Like `callApi`, for responses without the envelope: returns the raw body. */
export async function fetchApi(path: string, init: Call = {}): Promise<unknown> {
  const response = await fetch(path, {
    method: init.method ?? "GET",
    headers: {
      "cache-control": "no-store",
      "new-api-user": storedUserId(),
      ...(init.body === undefined ? {} : { "content-type": "application/json" }),
    },
    cache: "no-store",
    signal: AbortSignal.timeout(TIMEOUT_MS),
    ...(init.body === undefined ? {} : { body: JSON.stringify(init.body) }),
  });
  if (!response.ok) throw new HttpError(response.status);
  return response.json();
}

/** Read on every call: the signed-in user may have changed since the page was opened. */
function storedUserId(): string {
  try {
    const user: unknown = JSON.parse(readStored("user") ?? "null");
    return typeof user === "object" && user !== null && "id" in user ? String(user.id) : NOBODY;
  } catch {
    return NOBODY;
  }
}

const patched = globalThis as typeof globalThis & { weirSeesActionStatus?: boolean };

/**
 * Makes a server action that was refused before it ran (by a rate limiter, a proxy, a restart) reject with the HTTP status.
 * Next.js itself reports only a generic message without the status.
 */
export function rejectActionsWithStatus(): void {
  if (patched.weirSeesActionStatus) return;
  patched.weirSeesActionStatus = true;
  const send = window.fetch;
  window.fetch = async (input, init) => {
    const response = await send(input, init);
    const isAction = new Headers(init?.headers).has("next-action");
    const isAnswer = response.headers.get("content-type")?.startsWith("text/x-component") ?? false;
    const isOutdated = response.headers.has("x-nextjs-action-not-found");
    if (isAction && !isAnswer && !isOutdated && response.status >= 400) throw new HttpError(response.status);
    return response;
  };
}
