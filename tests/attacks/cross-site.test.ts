// Another site's page makes a visitor's browser call the console with the visitor's cookie, also in browsers that send no
// Sec-Fetch-Site; and anyone claims by X-Forwarded-Host and -Proto to have asked for another host. Nothing may change by
// such a call, and what a client says about itself counts only from a proxy that TRUST_PROXY names.
import { createServer, type IncomingHttpHeaders } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { routeTables } from "@/app/api/openapi.json/tables";
import * as userApi from "@/app/api/user/[[...path]]/route";
import { signInByCode } from "@/components/auth/sign-in-actions";
import { originOf, requireOwnOrigin } from "@/lib/http/origin";
import { call, setUpApi } from "../api/harness";
import { startRelay } from "../relay/harness";

const api = setUpApi();
const browser = vi.hoisted(() => ({ headers: new Headers() }));
vi.mock("next/headers", () => ({ headers: async () => browser.headers, cookies: async () => ({ get() {} }) }));
vi.mock("next/cache", () => ({ refresh() {} }));
vi.mock("next-intl/server", () => ({
  getLocale: async () => "en",
  getTranslations: async () => Object.assign((key: string) => key, { has: () => true }),
}));

const host = { host: "weir.example", "x-forwarded-host": "weir.example" };
const other: Record<string, Record<string, string>> = {
  "Sec-Fetch-Site": { "sec-fetch-site": "cross-site", origin: "https://evil.example" },
  Origin: { origin: "https://evil.example" },
  "an Origin hidden by the page": { origin: "null" },
  Referer: { referer: "https://evil.example/weir.example" },
  "a neighbour's Origin": { "sec-fetch-site": "same-site", origin: "https://blog.weir.example" },
  "a neighbour that hides": { "sec-fetch-site": "same-site" },
  "the same host on another port": { origin: "http://weir.example:8080" },
  "a host that begins alike": { origin: "http://weir.example.evil.example" },
};
const own: Record<string, Record<string, string>> = {
  "Sec-Fetch-Site": { "sec-fetch-site": "same-origin" },
  "an address typed in": { "sec-fetch-site": "none" },
  Origin: { origin: "https://weir.example" },
  "Origin with its port": { origin: "http://weir.example:80" },
  Referer: { referer: "https://weir.example/token" },
};

/** GETs that read, and do not take it from a replica: what they show must be of this moment, or is none of the database's. */
const READING = [
  "/api/about",
  "/api/channel/:id",
  "/api/channel/fetch_models/:id",
  "/api/channel/keys/:id",
  "/api/channel/models",
  "/api/channel/models_enabled",
  "/api/channel/test_run",
  "/api/data/export",
  "/api/data/self/export",
  "/api/group",
  "/api/home_page_content",
  "/api/log/export",
  "/api/log/self/export",
  "/api/log/token",
  "/api/models",
  "/api/notice",
  "/api/option",
  "/api/pricing",
  "/api/redemption/:id",
  "/api/status",
  "/api/status/test",
  "/api/token/:id",
  "/api/user/2fa",
  "/api/user/:id",
  "/api/user/confirm",
  "/api/user/export",
  "/api/user/groups",
  "/api/user/models",
  "/api/user/notification",
  "/api/user/passkey",
  "/api/user/self",
  "/api/user/self/groups",
  "/api/user/self/ledger/export",
  "/api/user/session",
  "/api/user/statement",
  "/pg/charge",
  "/pg/videos/:id/content",
];
/** GETs that change something and that another site sends the browser to, or calls, and what they go by. */
const OPEN: Record<string, string> = {
  "/api/oauth/github": "a state that this browser was given",
  "/api/oauth/linuxdo": "a state that this browser was given",
  "/api/oauth/oidc": "a state that this browser was given",
  "/api/oauth/telegram/bind": "a state that this browser was given, or the header of our own scripts",
  "/api/user/epay/notify": "the payment gateway's signature",
};

describe("a page of another site", () => {
  test.each(Object.entries(other))("told by %s, changes nothing by any route", async (_name, headers) => {
    for (const { base, handler, routes } of routeTables()) {
      for (const { method, path, access, changes } of routes) {
        if (!changes) continue;
        const segments = path.split("/").flatMap((part) => (part === "" ? [] : [part === ":id" ? "1" : part]));
        const sent = { ...host, ...headers, cookie: api.root.cookie, "new-api-user": "1", "accept-language": "en" };
        const body = method === "GET" ? {} : { body: "{}" };
        const request = new Request(`http://weir.example${base}${path}`, { method, headers: sent, ...body });
        const answer = await handler(request, { params: Promise.resolve({ path: segments }) });
        expect([method, base, path, access, await answer.json()]).toMatchObject([
          method,
          base,
          path,
          access,
          { success: false, message: "Requests from other sites are not allowed" },
        ]);
      }
    }
  });

  test.each(Object.entries(other))("told by %s, calls no server action", async (_name, headers) => {
    browser.headers = new Headers({ ...host, ...headers, cookie: api.alice.cookie });
    expect(await signInByCode({ ticket: "x", code: "1" })).toMatchObject({ ok: false, message: "crossSite" });
  });

  test.each(Object.entries(other))("told by %s, reads nothing with the cookie", async (_name, headers) => {
    const answer = await call(userApi, "GET /api/user/self", { as: api.alice, headers: { ...host, ...headers } });
    expect(answer.status).toBe(401);
  });

  test("finds no GET that changes something but those that are known to be made by other sites", () => {
    const gets = routeTables().flatMap(({ base, routes }) =>
      routes
        .filter(({ method, reads }) => method === "GET" && !reads)
        .map(({ path, changes }) => ({ name: `${base}${path}`.replace(/\/$/, ""), changes })),
    );
    expect(
      gets
        .filter(({ changes }) => !changes)
        .map(({ name }) => name)
        .sort(),
    ).toEqual([...READING, ...Object.keys(OPEN)].sort());
    expect(gets.filter(({ changes }) => changes).map(({ name }) => name)).toContain("/api/verification");
  });

  test("a request that relies on the cookie alone and does not say where it comes from is refused", async () => {
    const headers = new Headers({ ...host, cookie: api.alice.cookie });
    expect(() => requireOwnOrigin(headers)).toThrow("crossSite");
    const sent = { ...host, cookie: api.alice.cookie };
    const answer = await call(userApi, "PUT /api/user/self", { body: { display_name: "A" }, headers: sent });
    expect(answer.json).toMatchObject({ success: false, message: "不允许跨站请求" });
  });
});

describe("what must go on working", () => {
  test.each(Object.entries(own))("a page of this site, told by %s", (_name, headers) => {
    expect(originOf(new Headers({ ...host, ...headers }))).toBe("own");
  });

  test("a program with an access token, or with a cookie and the user-id header, says nothing about itself", async () => {
    const body = { display_name: "Alice" };
    for (const by of ["token", "cookie"] as const) {
      const answer = await call(userApi, "PUT /api/user/self", { as: api.alice, by, body, headers: host });
      expect(answer.json.success).toBe(true);
    }
    const login = { username: "alice", password: api.alice.password };
    for (const headers of [host, { ...host, cookie: api.bob.cookie }]) {
      expect((await call(userApi, "POST /api/user/login", { body: login, headers })).json.success).toBe(true);
    }
  });
});

describe("X-Forwarded-Host and -Proto", () => {
  const open: (() => unknown)[] = [];
  let seen: IncomingHttpHeaders[] = [];
  beforeEach(() => {
    seen = [];
  });
  afterEach(async () => {
    for (const close of open.splice(0).reverse()) await close();
  });

  async function askThrough(trustProxy: string): Promise<IncomingHttpHeaders | undefined> {
    const server = createServer((request, response) => {
      seen.push(request.headers);
      response.end();
    });
    await new Promise<void>((done) => server.listen(0, "127.0.0.1", () => done()));
    open.push(() => server.close());
    const relay = await startRelay({ gateway: { consolePort: (server.address() as AddressInfo).port, trustProxy } });
    open.push(() => relay.close());
    const claims = { "x-forwarded-host": "evil.example", "x-forwarded-proto": "https", "x-forwarded-for": "9.9.9.9" };
    await fetch(`${relay.url}/login`, { headers: claims });
    return seen[0];
  }

  test.each(["", "10.0.0.0/8, 2001:db8::1"])(
    "from a peer that TRUST_PROXY=%j does not name: ignored",
    async (trust) => {
      const headers = await askThrough(trust);
      expect(headers).toMatchObject({ "x-forwarded-proto": "http", "x-forwarded-for": "127.0.0.1" });
      expect(headers?.["x-forwarded-host"]).toBe(headers?.host);
    },
  );

  test("from a trusted proxy: passed on", async () => {
    expect(await askThrough("127.0.0.0/8")).toMatchObject({
      "x-forwarded-host": "evil.example",
      "x-forwarded-proto": "https",
      "x-forwarded-for": "9.9.9.9",
    });
  });
});
