import type { APIRequestContext, Browser, Page } from "@playwright/test";
import { ROOT, uniqueName } from "./fixtures";

const server = () => process.env.WEIR_E2E_URL ?? "";

type Caller = { request: APIRequestContext; id: number };
type Answer = { success: boolean; message: string; data: unknown };

/** Someone who is signed in through the API. Dispose of `request` when done. */
export async function signInToApi(page: Page, username: string, password: string): Promise<Caller> {
  const request = page.request;
  const answer = await request.post(`${server()}/api/user/login`, { data: { username, password } });
  const { success, message, data } = (await answer.json()) as Answer;
  if (!success) throw new Error(`sign-in of ${username}: ${message}`);
  return { request, id: Number((data as { id: number }).id) };
}

/** A call that must succeed; returns its data. The path is one of the run's server, or a whole address. */
export async function call(
  caller: Caller,
  method: "GET" | "POST" | "PUT",
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

/** Runs work as root on a browser of its own, so that the page under test keeps its session. */
export async function asRoot<Result>(browser: Browser, work: (root: Caller) => Promise<Result>): Promise<Result> {
  const context = await browser.newContext();
  try {
    return await work(await signInToApi(await context.newPage(), ROOT.username, ROOT.password));
  } finally {
    await context.close();
  }
}

export type Account = { id: number; username: string; password: string };

/** A fresh ordinary user, made by root. */
export async function createAccount(browser: Browser, prefix: string): Promise<Account> {
  const username = uniqueName(prefix).replaceAll("-", "").slice(0, 12);
  const password = "first-password";
  const id = await asRoot(browser, async (root) => {
    await call(root, "POST", "/api/user/", { username, password, display_name: username });
    const found = await call(root, "GET", `/api/user/search?keyword=${username}&p=1&page_size=10`);
    const { items } = found as { items: { id: number; username: string }[] };
    return items.find((item) => item.username === username)?.id ?? 0;
  });
  return { id, username, password };
}
