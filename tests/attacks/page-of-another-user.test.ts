// A page shows Alice, and Bob signs in by another tab of the browser, whose cookie is then sent with what is done on
// Alice's page. No server action and no call of the console may act as Bob then. The tests run over all of them.
import { resolve } from "node:path";
import { eq } from "drizzle-orm";
import { beforeAll, describe, expect, test, vi } from "vitest";
import { GET as tail } from "@/app/(console)/log/tail/route";
import { routeTables } from "@/app/api/openapi.json/tables";
import * as userApi from "@/app/api/user/[[...path]]/route";
import * as operationCalls from "@/app/pg/[...path]/route";
import * as chatCalls from "@/app/pg/chat/completions/route";
import { sessions } from "@/db/schema";
import { isFromAnyPage, rateClassOf } from "@/lib/http/action";
import { isAskedByOtherUser } from "@/lib/http/page-user";
import { type Route, routesOf } from "@/lib/http/route";
import { NOBODY, OTHER_USER_HEADER, PAGE_USER_HEADER, PAGE_USER_PARAM } from "@/lib/page-user";
import { serverActionFiles } from "@/lib/testing/server-action-files";
import { call, PASSWORD, type Person, setUpApi } from "../api/harness";

const api = setUpApi();
const browser = vi.hoisted(() => ({ headers: new Headers(), cookies: [] as string[] }));
vi.mock("next/headers", () => ({
  headers: async () => browser.headers,
  cookies: async () => ({
    get: (name: string) => {
      const value = new RegExp(`(?:^|; )${name}=([^;]*)`).exec(browser.headers.get("cookie") ?? "")?.[1];
      return value === undefined ? undefined : { name, value };
    },
    set: (name: string) => void browser.cookies.push(name),
    delete: (name: string) => void browser.cookies.push(name),
  }),
}));
vi.mock("next/cache", () => ({ refresh() {} }));
vi.mock("next-intl/server", () => ({
  getLocale: async () => "en",
  getTranslations: async () =>
    Object.assign((key: string, params: object = {}) => [key, ...Object.values(params)].join(" "), { has: () => true }),
}));

type Result = { ok: boolean; code?: string; message?: string };
type Action = (input: unknown) => Promise<Result>;
type Handler = Parameters<typeof routesOf>[0];
const actions = new Map<string, Action>();

/** They act for nobody who is signed in. Over the page of a user, a sign-in takes that user alone (below). */
const FROM_ANY_PAGE = ["signIn", "signInByCode", "signInByPasskey", "startPasskey"];

beforeAll(async () => {
  for (const path of serverActionFiles())
    for (const [name, made] of Object.entries((await import(resolve(path))) as Record<string, Action>))
      actions.set(`${path} ${name}`, made);
});

/** The browser has a cookie of this person, and the page says whom it was made for. */
function send(
  as: Person | null,
  page: string | null,
  more: Record<string, string> = { "sec-fetch-site": "same-origin" },
) {
  browser.headers = new Headers({
    ...more,
    ...(as ? { cookie: as.cookie } : {}),
    ...(page === null ? {} : { [PAGE_USER_HEADER]: page }),
  });
  browser.cookies = [];
}

async function actionOf(name: string): Promise<Action> {
  const found = [...actions].find(([key]) => key.endsWith(` ${name}`));
  if (!found) throw new Error(`no action ${name}`);
  return found[1];
}

const refusal = (message: string) => ({ ok: false, code: "other_user", message });

describe("server actions", () => {
  test("each one is made by the function that checks the user of the page, and only sign-ins are taken from any page (A233)", () => {
    expect(actions.size).toBeGreaterThan(90);
    expect([...actions].filter(([, made]) => rateClassOf(made) === null).map(([name]) => name)).toEqual([]);
    const free = [...actions].filter(([, made]) => isFromAnyPage(made)).map(([name]) => name);
    expect(free.sort()).toEqual(FROM_ANY_PAGE.map((name) => `components/auth/sign-in-actions.ts ${name}`));
  });

  const pages: Record<string, [page: () => string | null, message: () => string]> = {
    "of Alice": [() => String(api.alice.id), () => `otherUser ${api.bob.username}`],
    "of nobody": [() => NOBODY, () => `otherUser ${api.bob.username}`],
    "of a user that does not exist": [() => "999999", () => `otherUser ${api.bob.username}`],
    "that lies in its header": [() => "2e0, 3", () => `otherUser ${api.bob.username}`],
    "that does not say whose it is": [() => null, () => "pageWithoutUser"],
  };
  test.each(Object.entries(pages))("none acts as Bob for a page %s (A233)", async (_name, [page, message]) => {
    for (const [name, run] of actions) {
      if (isFromAnyPage(run)) continue;
      send(api.bob, page());
      expect([name, await run({})]).toMatchObject([name, refusal(message())]);
      expect([name, browser.cookies]).toEqual([name, []]);
    }
  });

  test("a browser that says nothing but its origin is a browser, too", async () => {
    send(api.bob, null, { origin: "http://weir.example", host: "weir.example" });
    expect(await (await actionOf("setLocale"))("en")).toMatchObject(refusal("pageWithoutUser"));
  });

  test("Bob's own page acts as Bob, also after he has signed in again; a program acts as its session says", async () => {
    const setLocale = await actionOf("setLocale");
    send(api.bob, String(api.bob.id));
    expect(await setLocale("en")).toEqual({ ok: true, data: undefined });
    send({ ...api.bob, cookie: await newCookie(api.bob) }, String(api.bob.id));
    expect(await setLocale("en")).toEqual({ ok: true, data: undefined });
    send(api.bob, null, { "next-action": "1" });
    expect(await setLocale("en")).toEqual({ ok: true, data: undefined });
  });

  test("the header grants nothing: without a session, or with one of somebody else, nobody becomes its user", async () => {
    const createAccessToken = await actionOf("createAccessToken");
    send(null, String(api.alice.id));
    expect(await createAccessToken(undefined)).toMatchObject({ ok: false, code: "unauthenticated" });
    send(api.bob, String(api.root.id));
    expect(await createAccessToken(undefined)).toMatchObject(refusal(`otherUser ${api.bob.username}`));
  });

  test("signing out from Alice's page does not end Bob's session", async () => {
    const live = async () =>
      (await api.database.db.select().from(sessions).where(eq(sessions.userId, api.bob.id))).filter(
        ({ revokedAt }) => revokedAt === null,
      ).length;
    const before = await live();
    for (const name of ["signOut", "signInAgain"]) {
      send(api.bob, String(api.alice.id));
      expect(await (await actionOf(name))(undefined)).toMatchObject(refusal(`otherUser ${api.bob.username}`));
    }
    expect([await live(), browser.cookies]).toEqual([before, []]);
  });
});

describe("signing in over a page", () => {
  const by = (person: Person) => ({ username: person.username, password: PASSWORD });

  test("its own user gets a session", async () => {
    send(null, String(api.alice.id));
    expect(await (await actionOf("signIn"))(by(api.alice))).toMatchObject({ ok: true, data: { step: "done" } });
    expect(browser.cookies).toEqual(["session"]);
  });

  test("another user is refused and gets none, also where the session of before still holds", async () => {
    for (const before of [null, api.alice]) {
      send(before, String(api.alice.id));
      expect(await (await actionOf("signIn"))(by(api.bob))).toMatchObject(refusal("signInOtherUser"));
      expect(browser.cookies).toEqual([]);
    }
  });

  test("the page of nobody takes anyone, also while somebody is signed in by another tab", async () => {
    send(api.alice, NOBODY);
    expect(await (await actionOf("signIn"))(by(api.bob))).toMatchObject({ ok: true, data: { step: "done" } });
    expect(browser.cookies).toEqual(["session"]);
  });
});

describe("calls of the browser to /api and /pg", () => {
  const tables = () => [
    ...routeTables(),
    { base: "/pg", handler: operationCalls.POST, routes: routesOf(operationCalls.POST) },
    { base: "/pg/chat/completions", handler: chatCalls.POST, routes: routesOf(chatCalls.POST) },
  ];

  test("none acts as Bob for a page of Alice or of nobody, whatever id stands in the header of the contract (A233)", async () => {
    const refuses = async (base: string, handler: Handler, { method, path }: Route) => {
      for (const page of [String(api.alice.id), NOBODY]) {
        const segments = path.split("/").flatMap((part) => (part === "" ? [] : [part === ":id" ? "1" : part]));
        const headers = {
          "sec-fetch-site": "same-origin",
          "accept-language": "en",
          cookie: api.bob.cookie,
          "new-api-user": String(api.bob.id),
          [PAGE_USER_HEADER]: page,
        };
        const body = method === "GET" ? {} : { body: "{}" };
        const request = new Request(`http://weir.example${base}${path}`, { method, headers, ...body });
        const answer = await handler(request, { params: Promise.resolve({ path: segments }) });
        expect([base, path, answer.headers.get(OTHER_USER_HEADER), await answer.json()]).toEqual([
          base,
          path,
          "1",
          {
            success: false,
            code: "other_user",
            message: expect.stringContaining(`signed in as ${api.bob.username}`),
          },
        ]);
      }
    };
    const all = tables().flatMap(({ base, handler, routes }) =>
      routes.filter(({ access }) => access !== "public").map((route) => ({ base, handler, route })),
    );
    expect(all.length).toBeGreaterThan(100);
    // At once: one after the other, they would take longer than a test may on a busy machine.
    await Promise.all(all.map(({ base, handler, route }) => refuses(base, handler, route)));
  });

  test("Bob's own page and programs are served", async () => {
    for (const headers of [{ [PAGE_USER_HEADER]: String(api.bob.id), "sec-fetch-site": "same-origin" }, {}])
      expect((await call(userApi, "GET /api/user/self", { as: api.bob, headers })).json).toMatchObject({
        success: true,
      });
  });
});

test("data of a page is refused to a page of another user, and to no other", async () => {
  const asks = (cookie: string | null, page: string | null) =>
    isAskedByOtherUser(
      new Headers({ ...(cookie ? { cookie } : {}), ...(page === null ? {} : { [PAGE_USER_HEADER]: page }) }),
    );
  expect(await asks(api.bob.cookie, String(api.alice.id))).toBe(true);
  expect(await asks(api.bob.cookie, String(api.bob.id))).toBe(false);
  // A document, a page that signs in just now, and a session that has ended: the page itself says where to go.
  expect(await asks(api.bob.cookie, null)).toBe(false);
  expect(await asks(api.bob.cookie, NOBODY)).toBe(false);
  expect(await asks(null, String(api.alice.id))).toBe(false);
  expect(await asks("session=forged", String(api.alice.id))).toBe(false);
});

test("the stream of the log goes to the user of its page alone, also when the browser connects again (A233)", async () => {
  const connect = async (user: string | null) => {
    const search = user === null ? "" : `?${PAGE_USER_PARAM}=${user}`;
    const headers = { cookie: api.bob.cookie, "sec-fetch-site": "same-origin", "accept-language": "en" };
    const answer = await tail(new Request(`http://weir.example/log/tail${search}`, { headers }));
    await answer.body?.cancel();
    return [answer.status, answer.headers.get(OTHER_USER_HEADER)];
  };
  expect(await connect(String(api.alice.id))).toEqual([409, "1"]);
  expect(await connect(String(api.bob.id))).toEqual([200, null]);
  expect(await connect(null)).toEqual([200, null]);
});

async function newCookie(person: Person): Promise<string> {
  const answer = await call(userApi, "POST /api/user/login", {
    body: { username: person.username, password: PASSWORD },
  });
  return answer.headers.get("set-cookie")?.split(";")[0] ?? "";
}
