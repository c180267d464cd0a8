import { readdirSync } from "node:fs";
import { join, resolve } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { GET as authGet, POST as authPost } from "@/app/api/auth/[...nextauth]/route";
import { routeTables } from "@/app/api/openapi.json/tables";
import { GET as statusGet } from "@/app/api/status/[[...path]]/route";
import * as userApi from "@/app/api/user/[[...path]]/route";
import { documentPath } from "@/lib/http/openapi/naming";
import { isLimited } from "@/lib/http/rate-limit";
import { routesOf } from "@/lib/http/route";
import { addressKey, createRateWindow } from "@/lib/rate-window";
import { call, setUpApi, type Table } from "./harness";

const state = setUpApi();
const api = userApi as Table;
const statusApi = { GET: statusGet } as unknown as Table;

beforeEach(() => {
  process.env.GLOBAL_API_RATE_LIMIT_ENABLE = "true";
  process.env.CRITICAL_RATE_LIMIT_ENABLE = "true";
});
afterEach(() => {
  for (const name of ["GLOBAL_API_RATE_LIMIT_ENABLE", "CRITICAL_RATE_LIMIT_ENABLE"]) process.env[name] = "false";
  for (const name of ["GLOBAL_API_RATE_LIMIT", "CRITICAL_RATE_LIMIT"]) delete process.env[name];
});

const from = (address: string) => ({ headers: { "x-forwarded-for": address } });

async function statuses(table: Table, line: string, times: number, options: Parameters<typeof call>[2]) {
  const answers = [];
  for (let i = 0; i < times; i++) answers.push(await call(table, line, options));
  return answers;
}

test("an address has 180 calls of /api in 180 seconds, then 429 with an empty body", async () => {
  const answers = await statuses(statusApi, "GET /api/status/", 181, from("192.0.2.1"));
  expect(answers.slice(0, 180).every(({ status }) => status === 200)).toBe(true);
  const last = answers.at(-1);
  expect([last?.status, last?.json]).toEqual([429, null]);
  expect(Number(last?.headers.get("retry-after"))).toBeGreaterThan(0);
  expect((await call(statusApi, "GET /api/status/", from("192.0.2.2"))).status).toBe(200);
});

test("an address has 20 attempts to sign in in 20 minutes, right or wrong, on all machines together", async () => {
  const { username, password } = state.alice;
  const wrong = { ...from("192.0.2.3"), body: { username: "nobody", password: "wrong-password" } };
  process.env.CRITICAL_RATE_LIMIT = "5";
  const answers = await statuses(api, "POST /api/user/login", 5, wrong);
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200]);
  const right = { ...from("192.0.2.3"), body: { username, password } };
  const refused = await call(api, "POST /api/user/login", right);
  expect([refused.status, refused.json]).toEqual([429, null]);
  const elsewhere = await call(api, "POST /api/user/login", { ...right, ...from("192.0.2.4") });
  expect(elsewhere.json).toMatchObject({ success: true });
  // The count is stored in the database, not in this process.
  const [row] = await state.database.sql`select count from rate_counters where key = 'critical:192.0.2.3'`;
  expect(row).toEqual({ count: 6 });
});

test("the strict limit holds for what invites guessing, sends messages or makes orders, and for nothing else", () => {
  const rows = routeTables().flatMap(({ base, routes }) =>
    routes.flatMap(({ method, path, limit }) =>
      limit === "critical" ? [`${method} ${documentPath(base, path)}`] : [],
    ),
  );
  expect(rows.sort()).toEqual(
    [
      // From contract §1.3.
      "GET /api/verification",
      "GET /api/reset_password",
      "POST /api/user/reset",
      "POST /api/user/register",
      "POST /api/user/login",
      "GET /api/oauth/state",
      "GET /api/oauth/github",
      "GET /api/oauth/linuxdo",
      "GET /api/oauth/oidc",
      "GET /api/oauth/wechat",
      "GET /api/oauth/wechat/bind",
      "GET /api/oauth/email/bind",
      "GET /api/oauth/telegram/login",
      "GET /api/oauth/telegram/bind",
      // Our own additions: the second step of a sign-in, guesses at codes, orders. The price call has no limit, because clients
      // call it while the user types the amount.
      "POST /api/user/login/2fa",
      "POST /api/user/passkey/login/finish",
      "POST /api/user/topup",
      "POST /api/user/pay",
      "POST /api/user/stripe/pay",
    ].sort(),
  );
});

test("every call under the strict limit answers 429 with an empty body beyond it, whoever calls", async () => {
  process.env.CRITICAL_RATE_LIMIT = "1";
  const tables = routeTables().flatMap(({ base, routes, handler }) =>
    routes.filter(({ limit }) => limit === "critical").map(({ method, path }) => ({ method, path, base, handler })),
  );
  for (const [index, { method, path, base, handler }] of tables.entries()) {
    const table = { [method]: handler } as unknown as Table;
    const options = { ...from(`203.0.113.${index}`), ...(method === "GET" ? {} : { body: {} }) };
    const [, second] = await statuses(table, `${method} ${base}${path}`, 2, options);
    expect([second?.status, second?.json], `${method} ${base}${path}`).toEqual([429, null]);
  }
  expect(tables.length).toBeGreaterThan(15);
});

/** Handlers that Next.js finds by their files. What they answer is the same for everybody, and costs nothing. */
const WITHOUT_LIMIT = ["app/favicon.ico/route.ts"];

test("every handler of the console has a rate class", async () => {
  const files = readdirSync("app", { recursive: true, encoding: "utf8" })
    .filter((file) => /(^|\/)route\.tsx?$/.test(file))
    .map((file) => join("app", file));
  const bare: string[] = [];
  for (const file of files) {
    const { dynamic: _dynamic, ...handlers } = (await import(resolve(file))) as Record<string, never>;
    for (const handler of Object.values(handlers)) if (!isLimited(handler) && !isTable(handler)) bare.push(file);
  }
  expect([...new Set(bare)]).toEqual(WITHOUT_LIMIT);
  expect(files.length).toBeGreaterThan(25);
});

function isTable(handler: Parameters<typeof routesOf>[0]): boolean {
  try {
    return routesOf(handler).every(({ limit }) => limit === "global" || limit === "critical");
  } catch {
    return false;
  }
}

type NextAuth = (request: Request, context: { params: Promise<{ nextauth: string[] }> }) => Promise<Response>;

function askNextAuth(address: string, path: string, method: "GET" | "POST"): Promise<Response> {
  const request = new Request(`http://weir.example/api/auth/${path}`, { method, headers: from(address).headers });
  return ((method === "GET" ? authGet : authPost) as NextAuth)(request, {
    params: Promise.resolve({ nextauth: path.split("/") }),
  });
}

test("next-auth's pages have the limits of /api, and its sign-ins those of sign-ins", async () => {
  process.env.GLOBAL_API_RATE_LIMIT = "3";
  process.env.CRITICAL_RATE_LIMIT = "2";
  const statusesOf = async (address: string, path: string, method: "GET" | "POST" = "GET") => {
    const answers: boolean[] = [];
    for (let i = 0; i < 4; i++) answers.push((await askNextAuth(address, path, method)).status === 429);
    return answers;
  };
  for (const path of ["session", "csrf", "providers"])
    expect([path, await statusesOf(`198.51.100.${path.length}`, path)]).toEqual([path, [false, false, false, true]]);
  expect(await statusesOf("198.51.100.20", "callback/github")).toEqual([false, false, true, true]);
  expect(await statusesOf("198.51.100.21", "signin/github", "POST")).toEqual([false, false, true, true]);
});

test("a path of /api that does not exist counts like the others", async () => {
  process.env.GLOBAL_API_RATE_LIMIT = "2";
  const answers = await statuses(statusApi, "GET /api/status/nothing", 3, from("192.0.2.8"));
  expect(answers.map(({ status }) => status)).toEqual([404, 404, 429]);
});

test("the limits can be switched off and set by the environment", async () => {
  process.env.GLOBAL_API_RATE_LIMIT = "2";
  const answers = await statuses(statusApi, "GET /api/status/", 3, from("192.0.2.5"));
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 429]);
  process.env.GLOBAL_API_RATE_LIMIT_ENABLE = "false";
  expect((await call(statusApi, "GET /api/status/", from("192.0.2.5"))).status).toBe(200);
});

test("a customer's whole IPv6 network is one address", () => {
  expect(addressKey("2001:db8:1:2:3::4")).toBe(addressKey("2001:db8:1:2:ffff::1"));
  expect(addressKey("2001:db8:1:2::1")).not.toBe(addressKey("2001:db8:1:3::1"));
  expect(addressKey("::ffff:192.0.2.1")).toBe("192.0.2.1");
});

test("a call is free again when its time is over, whenever the others came", () => {
  let now = 90_000;
  const window = createRateWindow(() => now);
  for (let i = 0; i < 10; i++) {
    expect(window.add("a", 10, 60)).toBe(0);
    now += 4_000;
  }
  expect(window.add("a", 10, 60)).toBe(20);
  now = 150_000;
  expect(window.add("a", 10, 60)).toBe(0);
  expect(window.add("a", 10, 60)).toBe(4);
  now = 300_000;
  for (let i = 0; i < 10; i++) expect(window.add("a", 10, 60)).toBe(0);
});
