import { readStored } from "@/components/ui/stored";
import { NOBODY } from "@/lib/page-user";
import { sendSignedIn, statedPageUser } from "./session-keeper";

const TIMEOUT_MS = 30_000;
/** Value of the user id header when nobody is signed in. */
const NOBODY_STORED = "-1";

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
  const send = () =>
    fetch(path, {
      method: init.method ?? "GET",
      headers: {
        "cache-control": "no-store",
        "new-api-user": userId(),
        ...(init.body === undefined ? {} : { "content-type": "application/json" }),
      },
      cache: "no-store",
      signal: AbortSignal.timeout(TIMEOUT_MS),
      ...(init.body === undefined ? {} : { body: JSON.stringify(init.body) }),
    });
  const response = await sendSignedIn(send);
  if (!response.ok) throw new HttpError(response.status);
  return response.json();
}

/** The user whom the page was made for; before the page has said so, the one whom the browser stored last. */
function userId(): string {
  const stated = statedPageUser();
  if (stated !== null) return stated === NOBODY ? NOBODY_STORED : stated;
  try {
    const user: unknown = JSON.parse(readStored("user") ?? "null");
    return typeof user === "object" && user !== null && "id" in user ? String(user.id) : NOBODY_STORED;
  } catch {
    return NOBODY_STORED;
  }
}
