import { afterEach, beforeEach, expect, test } from "vitest";
import { routeTables } from "@/app/api/openapi.json/tables";
import { GET as statusGet } from "@/app/api/status/[[...path]]/route";
import * as userApi from "@/app/api/user/[[...path]]/route";
import { documentPath } from "@/lib/http/openapi/naming";
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

test("the window slides: what came in the last seconds counts, whenever they began", () => {
  let now = 90_000;
  const window = createRateWindow(() => now);
  for (let i = 0; i < 10; i++) expect(window.add("a", 10, 60)).toBe(0);
  expect(window.add("a", 10, 60)).toBe(30);
  now = 126_000;
  // A tenth of the next window has passed, so nine of the ten requests still count.
  expect(window.add("a", 10, 60)).toBe(0);
  expect(window.add("a", 10, 60)).toBeGreaterThan(0);
  now = 300_000;
  for (let i = 0; i < 10; i++) expect(window.add("a", 10, 60)).toBe(0);
});
