// Anyone calls server actions by the thousand, which are the same commands as /api behind another door. They have the
// rate classes of their routes, count per client address (IPv6: /64), and the strict class is one budget for both doors.
import { resolve } from "node:path";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import * as userApi from "@/app/api/user/[[...path]]/route";
import { signIn } from "@/components/auth/sign-in-actions";
import { simulateCharge } from "@/components/pricing/actions";
import { rateClassOf } from "@/lib/http/action";
import { serverActionFiles } from "@/lib/testing/server-action-files";
import { call, setUpApi } from "../api/harness";

setUpApi();
const browser = vi.hoisted(() => ({ headers: new Headers() }));
vi.mock("next/headers", () => ({ headers: async () => browser.headers, cookies: async () => ({ get() {} }) }));
vi.mock("next/cache", () => ({ refresh() {} }));
vi.mock("next-intl/server", () => ({
  getLocale: async () => "en",
  getTranslations: async () => Object.assign((key: string) => key, { has: () => true }),
}));

beforeEach(() => {
  process.env.GLOBAL_API_RATE_LIMIT_ENABLE = "true";
  process.env.CRITICAL_RATE_LIMIT_ENABLE = "true";
});
afterEach(() => {
  for (const name of ["GLOBAL_API_RATE_LIMIT_ENABLE", "CRITICAL_RATE_LIMIT_ENABLE"]) process.env[name] = "false";
});

function from(address: string): void {
  browser.headers = new Headers({ "x-forwarded-for": address, "sec-fetch-site": "same-origin" });
}

const guess = (index: number) => signIn({ username: `ghost-${index}`, password: "wrong-one" });
const tooMany = { ok: false, code: "rate_limited", message: "tooManyRequests" };

test("20 sign-ins in 20 minutes from one IPv6 network, by the page and by /api together", async () => {
  for (let i = 0; i < 15; i++) {
    from(`2001:db8:1:1::${i + 1}`);
    expect(await guess(i)).toMatchObject({ ok: false, message: "credentialsWrong" });
  }
  for (let i = 15; i < 20; i++) {
    const headers = { "x-forwarded-for": `2001:db8:1:1:ffff::${i}` };
    const body = { username: `ghost-${i}`, password: "wrong-one" };
    expect((await call(userApi, "POST /api/user/login", { body, headers })).status).toBe(200);
  }
  expect(await guess(20)).toMatchObject(tooMany);
  const headers = { "x-forwarded-for": "2001:db8:1:1::99" };
  const body = { username: "ghost", password: "wrong-one" };
  expect((await call(userApi, "POST /api/user/login", { body, headers })).status).toBe(429);
  from("2001:db8:1:2::1");
  expect(await guess(21)).toMatchObject({ message: "credentialsWrong" });
});

test("180 calls of any action in 180 seconds; calls of /api are counted apart", async () => {
  from("192.0.2.60");
  const ask = () => simulateCharge({} as Parameters<typeof simulateCharge>[0]);
  for (let i = 0; i < 180; i++) expect(await ask()).not.toMatchObject(tooMany);
  expect(await ask()).toMatchObject(tooMany);
  const status = await call(userApi, "GET /api/user/self", { headers: { "x-forwarded-for": "192.0.2.60" } });
  expect(status.status).toBe(401);
});

test("the strict class holds for the actions whose routes have it, and for no others", async () => {
  const strict: string[] = [];
  for (const path of serverActionFiles()) {
    for (const [name, made] of Object.entries((await import(resolve(path))) as Record<string, object>)) {
      if (rateClassOf(made) === "critical") strict.push(name);
    }
  }
  // The routes: /login, /login/2fa, /passkey/login/finish, /oauth/email/bind, /oauth/state.
  expect(strict.sort()).toEqual(["beginBinding", "bindEmail", "signIn", "signInByCode", "signInByPasskey"]);
});
