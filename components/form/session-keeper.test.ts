import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { askPlayground } from "@/components/playground/ask";
import { callOperation } from "@/components/playground/operations/call-operation";
import { carryPageUser } from "@/components/session/carry-page-user";
import { NOBODY, OTHER_USER_HEADER, PAGE_USER_HEADER, SESSION_PATH } from "@/lib/page-user";
import { callApi } from "./call-api";
import { registerGuard, setPageUser } from "./session-keeper";

const ALICE = { id: 7, username: "alice" };
type Sent = { url: string; user: string | null; contractUser: string | null };

let sent: Sent[];
let answers: Response[];
const guard = { signIn: vi.fn(async () => true), check: vi.fn(async () => ({ type: "same" })) };
let unregister: () => void;

const ok = () => Response.json({ success: true, message: "", data: 1 });
const signedOut = () => Response.json({ success: false, message: "" }, { status: 401 });

beforeEach(() => {
  sent = [];
  answers = [];
  const send = async (input: RequestInfo | URL, init?: RequestInit) => {
    const headers = new Headers(init?.headers);
    sent.push({ url: String(input), user: headers.get(PAGE_USER_HEADER), contractUser: headers.get("new-api-user") });
    return answers.shift() ?? ok();
  };
  const page = {
    fetch: send as typeof fetch,
    location: new URL("http://weir.example/token"),
    localStorage: { getItem: () => '{"id":9}' },
  };
  vi.stubGlobal("window", page);
  vi.stubGlobal("weirCarriesPageUser", undefined);
  carryPageUser();
  vi.stubGlobal("fetch", page.fetch);
  setPageUser(ALICE);
  unregister = registerGuard(guard);
});
afterEach(() => {
  unregister();
  setPageUser(null);
  vi.unstubAllGlobals();
  vi.clearAllMocks();
});

const calls: Record<string, () => Promise<unknown>> = {
  "/api": () => callApi("/api/user/topup", { method: "POST", body: { key: "code" } }),
  "a conversation": () =>
    askPlayground({ body: {}, userId: ALICE.id, signal: new AbortController().signal, onText() {} }),
  "a call of the playground": () =>
    callOperation("images", { prompt: "a" }, { userId: ALICE.id, group: "", signal: new AbortController().signal }),
};

test.each(Object.entries(calls))(
  "%s says whom the page was made for, not who is signed in by now (A233)",
  async (_name, send) => {
    await send().catch(() => {});
    expect(sent).toEqual([{ url: expect.any(String), user: "7", contractUser: "7" }]);
  },
);

test.each(Object.entries(calls))(
  "%s is sent again, once, when its user has signed in over the page (A234)",
  async (_name, send) => {
    answers = [signedOut(), signedOut(), ok()];
    await send().catch(() => {});
    expect(sent).toHaveLength(2);
    expect(guard.signIn).toHaveBeenCalledTimes(1);
  },
);

test.each(Object.entries(calls))("%s is not sent again when its user has not signed in", async (_name, send) => {
  guard.signIn.mockResolvedValueOnce(false);
  answers = [signedOut()];
  await send().catch(() => {});
  expect(sent).toHaveLength(1);
});

test("a page of nobody says so, and asks nobody to sign in again", async () => {
  setPageUser(null);
  answers = [signedOut()];
  await expect(callApi("/api/user/register", { method: "POST" })).rejects.toThrow("HTTP 401");
  expect(sent).toEqual([{ url: "/api/user/register", user: NOBODY, contractUser: "-1" }]);
  expect(guard.signIn).not.toHaveBeenCalled();
});

test("a call that is refused for another user makes the page ask who is signed in", async () => {
  answers = [Response.json({ success: false, message: "other" }, { headers: { [OTHER_USER_HEADER]: "1" } })];
  await expect(callApi("/api/user/topup", { method: "POST" })).rejects.toThrow("other");
  expect(guard.check).toHaveBeenCalledTimes(1);
});

test("server actions and data of pages carry it, whatever headers they have; other sites are told nothing", async () => {
  await window.fetch("/token?_rsc=1", { headers: { rsc: "1" } });
  await window.fetch(new URL("http://weir.example/token"), {
    method: "POST",
    headers: new Headers({ "next-action": "a" }),
  });
  await window.fetch("https://provider.example/");
  // Whoever asks who is signed in is answered, and not refused.
  await window.fetch(SESSION_PATH);
  expect(sent.map(({ user }) => user)).toEqual(["7", "7", null, null]);
});

test("a server action that is refused on the way rejects with its status", async () => {
  answers = [new Response("", { status: 429 })];
  await expect(window.fetch("/token", { method: "POST", headers: { "next-action": "a" } })).rejects.toThrow("HTTP 429");
});
