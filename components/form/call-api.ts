import { readStored } from "@/components/shell/stored";

const TIMEOUT_MS = 30_000;
/** What the header of the user's id says while nobody is signed in. */
const NOBODY = "-1";

/** The server answered with a status that means it did not do what was asked. */
export class HttpError extends Error {
  readonly status: number;

  constructor(status: number) {
    super(`HTTP ${status}`);
    this.name = "HttpError";
    this.status = status;
  }
}

/** The server understood and refused; the message is in the reader's language. */
export class RefusedError extends Error {
  override name = "RefusedError";
}

type Reply<Data> = { success: boolean; message: string; data: Data };

type Call = { method?: string; body?: unknown };

/**
 * A call to /api with the headers of the contract: who asks, and nothing from a cache. Returns the envelope of a success;
 * throws HttpError, RefusedError, or what fetch throws when no answer came.
 */
export async function callApi<Data>(path: string, init: Call = {}): Promise<Reply<Data>> {
  const reply = (await fetchApi(path, init)) as Reply<Data>;
  if (!reply.success) throw new RefusedError(reply.message);
  return reply;
}

/** The same for calls whose answers have another shape than the envelope: the body as it came. */
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

/** Read on every call: who is signed in may have changed since the page was opened. */
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
 * Lets a server action that was refused before it ran (by a limiter, a proxy, a restart) reject with the HTTP status. The
 * framework knows the status only inside its own fetch and reports a sentence without it.
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
