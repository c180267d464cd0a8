import { type APIRequestContext, type Page, request } from "@playwright/test";
import { PROVEN_MS, ROOT, uniqueName } from "./fixtures";

const server = () => process.env.WEIR_E2E_URL ?? "";

type Caller = { request: APIRequestContext; id: number };
type Answer = { success: boolean; message: string; data: unknown };

/** Signs the page's browser in through the API. */
export async function signInToApi(page: Page, username: string, password: string, url = server()): Promise<Caller> {
  return signIn(page.request, username, password, url);
}

async function signIn(api: APIRequestContext, username: string, password: string, url = server()): Promise<Caller> {
  const answer = await api.post(`${url}/api/user/login`, { data: { username, password } });
  const { success, message, data } = (await answer.json()) as Answer;
  if (!success) throw new Error(`sign-in of ${username}: ${message}`);
  return { request: api, id: Number((data as { id: number }).id) };
}

/**
 * Calls the API; fails unless the call succeeds. Returns its data. The path is relative to the run's server, or a whole
 * URL.
 */
export async function call(
  caller: Caller,
  method: "GET" | "POST" | "PUT" | "DELETE",
  path: string,
  data?: unknown,
): Promise<unknown> {
  const response = await caller.request.fetch(new URL(path, server() || undefined).href, {
    method,
    headers: { "new-api-user": String(caller.id) },
    ...(data === undefined ? {} : { data }),
  });
  const answer = (await response.json()) as Answer;
  if (!answer.success) throw new Error(`${method} ${path}: ${answer.message}`);
  return answer.data;
}

let rootSession: { url: string; signedInAt: number; caller: Caller } | undefined;

/** Runs `work` as root outside the browser, so that the page under test keeps its session. */
export async function asRoot<Result>(work: (root: Caller) => Promise<Result>, url = server()): Promise<Result> {
  const isUsable = rootSession?.url === url && Date.now() - rootSession.signedInAt < PROVEN_MS;
  if (!rootSession || !isUsable) {
    await rootSession?.caller.request.dispose();
    const signedInAt = Date.now();
    const caller = await signIn(await request.newContext(), ROOT.username, ROOT.password, url);
    rootSession = { url, signedInAt, caller };
  }
  return work(rootSession.caller);
}

/** Sets options as root, one after the other. Values other than strings are written as JSON. */
export async function setOptions(values: Record<string, unknown>, url = server()): Promise<void> {
  await asRoot(async (root) => {
    for (const [key, value] of Object.entries(values)) {
      const text = typeof value === "string" ? value : JSON.stringify(value);
      await call(root, "PUT", `${url}/api/option/`, { key, value: text });
    }
  }, url);
}

/** Deletes all channels: an earlier file on the same server may have left some that serve the same models. */
export function deleteChannels(): Promise<void> {
  return asRoot(async (root) => {
    const found = (await call(root, "GET", "/api/channel/?p=0&page_size=100")) as { id: number }[];
    if (found.length === 0) return;
    await call(root, "POST", "/api/channel/batch", { ids: found.map(({ id }) => id) });
    await deleteChannels();
  });
}

/** Runs `work` as this account outside the browser. */
export async function asAccount<Result>(account: Account, work: (caller: Caller) => Promise<Result>): Promise<Result> {
  const api = await request.newContext();
  try {
    return await work(await signIn(api, account.username, account.password));
  } finally {
    await api.dispose();
  }
}

export type Account = { id: number; username: string; password: string };

/** Creates a new ordinary user. */
export async function createAccount(prefix: string): Promise<Account> {
  const username = uniqueName(prefix).replaceAll("-", "").slice(0, 12);
  const password = "first-password";
  const id = await asRoot(async (root) => {
    await call(root, "POST", "/api/user/", { username, password, display_name: username });
    const found = await call(root, "GET", `/api/user/search?keyword=${username}&p=1&page_size=10`);
    const { items } = found as { items: { id: number; username: string }[] };
    return items.find((item) => item.username === username)?.id ?? 0;
  });
  return { id, username, password };
}
