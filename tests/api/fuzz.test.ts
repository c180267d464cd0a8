import { beforeAll, describe, expect, test } from "vitest";
import * as aboutApi from "@/app/api/about/[[...path]]/route";
import * as groupApi from "@/app/api/group/[[...path]]/route";
import * as homeApi from "@/app/api/home_page_content/[[...path]]/route";
import * as logApi from "@/app/api/log/[[...path]]/route";
import * as modelsApi from "@/app/api/models/[[...path]]/route";
import * as noticeApi from "@/app/api/notice/[[...path]]/route";
import * as oauthApi from "@/app/api/oauth/[[...path]]/route";
import * as optionApi from "@/app/api/option/[[...path]]/route";
import * as resetApi from "@/app/api/reset_password/[[...path]]/route";
import * as statusApi from "@/app/api/status/[[...path]]/route";
import { administrationRoutes } from "@/app/api/user/[[...path]]/administration-routes";
import { registrationRoutes } from "@/app/api/user/[[...path]]/registration-routes";
import * as userApi from "@/app/api/user/[[...path]]/route";
import { securityRoutes } from "@/app/api/user/[[...path]]/security-routes";
import { affiliateRoutes, selfRoutes } from "@/app/api/user/[[...path]]/self-routes";
import { sessionRoutes } from "@/app/api/user/[[...path]]/session-routes";
import * as verificationApi from "@/app/api/verification/[[...path]]/route";
import { fromElsewhere } from "./account-harness";
import { snapshotOf } from "./fuzz-snapshot";
import { FORBIDDEN_FIELDS, HOSTILE_BODIES, HOSTILE_TEXTS, HOSTILE_VALUES } from "./fuzz-values";
import { PASSWORD, type Person, setUpApi, signInAs, type Table } from "./harness";

const api = setUpApi();

type Who = "nobody" | "alice" | "admin" | "root";
type Endpoint = {
  line: string;
  table: Table;
  /** The lowest role that may call it. */
  access: Who;
  /** A valid body. The test spoils its fields one by one. */
  body?: () => Record<string, unknown>;
  query?: string[];
  /** Columns "user.column" that a successful call may change. */
  writes?: string[];
};

const names = ["alice.username", "alice.display_name"];
const limits = ["requests_per_minute", "tokens_per_minute", "budget_day"];
const password = ["password_hash", "session_version", "access_token_hash", "initial_password"];
const of = (who: string, columns: string[]) => columns.map((column) => `${who}.${column}`);
/** Makes a new name for each call, so that calls do not conflict. */
let free = 0;

/** Every call of A169 to A203 that takes input. */
const endpoints: Endpoint[] = [
  { line: "GET /api/user/", table: userApi, access: "admin", query: ["p", "page_size"] },
  {
    line: "GET /api/user/search",
    table: userApi,
    access: "admin",
    query: ["keyword", "group", "p", "page_size"],
  },
  {
    line: "POST /api/user/",
    table: userApi,
    access: "admin",
    body: () => ({ username: `f${++free}`, display_name: "F", password: PASSWORD }),
    writes: ["count.users"],
  },
  {
    line: "PUT /api/user/",
    table: userApi,
    access: "admin",
    body: () => ({ id: api.bob.id, username: "bob", display_name: "B", password: "", group: "default", quota: 0 }),
    writes: [
      ...of("bob", ["username", "display_name", "quota", "group", "concurrency_limit", ...limits, ...password]),
      ...of("count", ["logs", "ledger", "quota"]),
    ],
  },
  {
    line: "PUT /api/user/self",
    table: userApi,
    access: "alice",
    body: () => ({ username: "alice", display_name: "A", password: "" }),
    writes: [...names, ...of("alice", password)],
  },
  {
    line: "PUT /api/user/self?original",
    table: userApi,
    access: "alice",
    body: () => ({ original_password: PASSWORD }),
  },
  {
    line: "POST /api/user/manage",
    table: userApi,
    access: "admin",
    body: () => ({ id: api.bob.id, action: "enable" }),
    writes: of("bob", ["session_version", "access_token_hash"]),
  },
  { line: "POST /api/user/aff_transfer", table: userApi, access: "alice", body: () => ({ quota: 500_000 }) },
  {
    line: "POST /api/user/register",
    table: userApi,
    access: "nobody",
    query: ["turnstile"],
    body: () => ({
      username: `f${++free}`,
      password: PASSWORD,
      password2: PASSWORD,
      email: "",
      verification_code: "",
      aff_code: "",
    }),
    writes: ["count.users"],
  },
  {
    line: "POST /api/user/login",
    table: userApi,
    access: "nobody",
    query: ["turnstile"],
    body: () => ({ username: "nobody", password: PASSWORD }),
  },
  {
    line: "POST /api/user/reset",
    table: userApi,
    access: "nobody",
    body: () => ({ email: "alice@weir.example", token: "none" }),
  },
  { line: "GET /api/verification", table: verificationApi, access: "nobody", query: ["email", "turnstile"] },
  { line: "GET /api/reset_password", table: resetApi, access: "nobody", query: ["email", "turnstile"] },
  { line: "GET /api/oauth/state", table: oauthApi, access: "nobody", query: ["aff"] },
  { line: "GET /api/oauth/github", table: oauthApi, access: "nobody", query: ["code", "state"] },
  { line: "GET /api/oauth/linuxdo", table: oauthApi, access: "nobody", query: ["code", "state"] },
  { line: "GET /api/oauth/wechat", table: oauthApi, access: "nobody", query: ["code"] },
  { line: "GET /api/oauth/wechat/bind", table: oauthApi, access: "alice", query: ["code"] },
  { line: "GET /api/oauth/email/bind", table: oauthApi, access: "alice", query: ["email", "code"] },
  {
    line: "GET /api/oauth/telegram/login",
    table: oauthApi,
    access: "nobody",
    query: ["id", "first_name", "username", "photo_url", "auth_date", "hash", "lang"],
  },
  {
    line: "GET /api/oauth/telegram/bind",
    table: oauthApi,
    access: "nobody",
    query: ["id", "first_name", "auth_date", "hash"],
  },
  {
    line: "PUT /api/option/",
    table: optionApi,
    access: "root",
    body: () => ({ key: "Nonsense", value: "1" }),
  },
  { line: "DELETE /api/log/", table: logApi, access: "admin", query: ["target_timestamp"] },
];

/** Calls without input. The test only checks who may call them. */
const plain: Endpoint[] = [
  { line: "GET /api/group/", table: groupApi, access: "admin" },
  { line: "GET /api/models", table: modelsApi, access: "alice" },
  { line: "GET /api/option/", table: optionApi, access: "root" },
  { line: "POST /api/option/rest_model_ratio", table: optionApi, access: "root" },
  { line: "GET /api/status/test", table: statusApi, access: "admin" },
  { line: "GET /api/status", table: statusApi, access: "nobody" },
  { line: "GET /api/notice", table: noticeApi, access: "nobody" },
  { line: "GET /api/about", table: aboutApi, access: "nobody" },
  { line: "GET /api/home_page_content", table: homeApi, access: "nobody" },
];

const WHO = { public: "nobody", optional: "nobody", user: "alice", admin: "admin", root: "root" } as const;
const routes = [sessionRoutes, securityRoutes, registrationRoutes, selfRoutes, affiliateRoutes, administrationRoutes];
const fromTables: Endpoint[] = routes.flat().map(({ method, path, access }) => ({
  line: `${method} /api/user${path.replace(":id", "3")}`,
  table: userApi,
  access: WHO[access],
}));

type Answer = { status: number; text: string };
let turn = 0;
const cookies = new Map<number, string>();

function personOf(who: Who): Person | null {
  return who === "nobody" ? null : api[who];
}

/** Sends calls alternately in Chinese and English. The body is sent as bytes, because fetch would replace a lone surrogate. */
async function send(endpoint: Endpoint, who: Who, search: string, body?: string): Promise<Answer & { locale: string }> {
  const [method = "GET", path = ""] = endpoint.line.split(" ");
  const locale = turn++ % 2 === 0 ? "zh" : "en";
  const headers = new Headers({ ...fromElsewhere(), "accept-language": locale });
  const person = personOf(who);
  if (person) {
    headers.set("cookie", cookies.get(person.id) ?? person.cookie);
    headers.set("new-api-user", String(person.id));
  }
  const url = new URL(`http://weir.example${path}${search}`);
  const segments = url.pathname
    .split("/")
    .slice(3)
    .filter((segment) => segment !== "");
  const init = body === undefined || method === "GET" ? {} : { body: Buffer.from(body) };
  const request = new Request(url, { method, headers, ...init });
  const response = await endpoint.table[method as keyof Table](request, {
    params: Promise.resolve({ path: segments }),
  });
  return { status: response.status, text: await response.text(), locale };
}

/** The snapshot after the last call. Only calls change the data, so it is also the state before the next one. */
let left: Map<string, string> | undefined;

async function changedBy<T>(call: () => Promise<T>): Promise<{ result: T; changed: string[] }> {
  const before = left ?? (await snapshotOf(api));
  const result = await call();
  const after = await snapshotOf(api);
  left = after;
  return { result, changed: [...after].filter(([name, value]) => before.get(name) !== value).map(([name]) => name) };
}

const STATUSES = [200, 302, 400, 401, 403, 413, 429];
const CHINESE = /\p{Script=Han}/u;

/**
 * Checks the envelope: an error message must be in the caller's language and contain no internals. Returns whether the
 * call succeeded.
 */
function assertClear(answer: Answer & { locale: string }, what: string): boolean {
  expect(STATUSES, `${what}: ${answer.text.slice(0, 200)}`).toContain(answer.status);
  if (answer.status === 302) return false;
  const json = JSON.parse(answer.text) as { success: unknown; message: unknown };
  expect(typeof json.success, what).toBe("boolean");
  const message = String(json.message);
  if (json.success === true) return true;
  expect(message.length, what).toBeGreaterThan(3);
  // The message may quote the input; the words around it must be in the caller's language.
  expect(CHINESE.test(message.replaceAll("中", "")), `${what}: ${message}`).toBe(answer.locale === "zh");
  expect(message.length, what).toBeLessThan(500);
  expect(message, what).not.toMatch(/Error:|select |insert |postgres|undefined|\[object|node_modules|ECONN/i);
  return false;
}

type Call = { search?: string; body?: string };

const describeCall = (endpoint: Endpoint, who: Who, { search = "", body = "" }: Call): string =>
  `${endpoint.line} by ${who} ${search.slice(0, 80)} ${body.slice(0, 120)}`;

/** Makes calls of the lowest role that may. Where even one that succeeds changes nothing, all of them together do not. */
async function tryCalls(endpoint: Endpoint, calls: readonly Call[]): Promise<void> {
  const { access, writes } = endpoint;
  if (writes) {
    for (const { search = "", body } of calls) await tryCall(endpoint, access, search, body);
    return;
  }
  const { changed } = await changedBy(async () => {
    for (const call of calls)
      assertClear(await send(endpoint, access, call.search ?? "", call.body), describeCall(endpoint, access, call));
  });
  expect(changed, `${endpoint.line} by ${access}`).toEqual([]);
}

/** Makes one call. A refused call must change nothing; a successful one only what it may change. */
async function tryCall(endpoint: Endpoint, who: Who, search: string, body?: string): Promise<boolean> {
  const what = describeCall(endpoint, who, { search, ...(body === undefined ? {} : { body }) });
  const { result, changed } = await changedBy(() => send(endpoint, who, search, body));
  const succeeded = assertClear(result, what);
  const allowed = succeeded ? (endpoint.writes ?? []) : [];
  expect(
    changed.filter((name) => !allowed.includes(name)),
    what,
  ).toEqual([]);
  if (succeeded && changed.some((name) => name.endsWith("session_version"))) await signInAgain();
  return succeeded;
}

async function signInAgain(): Promise<void> {
  for (const { id } of [api.root, api.admin, api.alice, api.bob]) {
    cookies.set(id, await signInAs(api.database, id));
  }
}

beforeAll(async () => {
  // Gives alice earnings that a faulty call could change.
  await api.database.sql`update users set aff_quota = 100, aff_history_quota = 100 where id = ${api.alice.id}`;
});

const withBody = endpoints.filter(({ body }) => body !== undefined);
const withQuery = endpoints.filter(({ query }) => query !== undefined);

describe("no input brings the server down or changes what it should not", () => {
  test.each(withBody.map((endpoint) => [endpoint.line, endpoint] as const))(
    "%s: each field of a wrong kind, missing, huge or hostile is refused in words and changes nothing (A169)",
    async (_line, endpoint) => {
      const base: () => Record<string, unknown> = endpoint.body ?? (() => ({}));
      for (const field of Object.keys(base())) {
        const { [field]: _, ...without } = base();
        const spoilt = HOSTILE_VALUES.map((value) => ({ ...base(), [field]: value }));
        await tryCalls(
          endpoint,
          [without, ...spoilt].map((body) => ({ body: JSON.stringify(body) })),
        );
      }
    },
    120_000,
  );

  test.each(withBody.map((endpoint) => [endpoint.line, endpoint] as const))(
    "%s: a body that is no object of fields is refused",
    async (_line, endpoint) => {
      await tryCalls(
        endpoint,
        HOSTILE_BODIES.map((body) => ({ body })),
      );
    },
    60_000,
  );

  test.each(withQuery.map((endpoint) => [endpoint.line, endpoint] as const))(
    "%s: each parameter missing, huge or hostile is refused in words and changes nothing",
    async (_line, endpoint) => {
      const names = endpoint.query ?? [];
      const searches = names.flatMap((name) => {
        const rest = names.filter((other) => other !== name).map((other) => `&${other}=1`);
        const hostile = HOSTILE_TEXTS.map((text) => `?${name}=${text}${rest.join("")}&unknown=1`);
        return [...hostile, `?${name}=1&${name}=2`];
      });
      await tryCalls(
        endpoint,
        ["", ...searches].map((search) => ({ search, body: "{}" })),
      );
    },
    120_000,
  );

  test.each([
    "GET /api/user/0",
    "GET /api/user/-1",
    "GET /api/user/2147483648",
    "GET /api/user/9999999999",
    "DELETE /api/user/9999999999",
    "DELETE /api/user/-1",
  ])("an id that nobody has is refused: %s", async (line) => {
    const endpoint: Endpoint = { line, table: userApi, access: "root" };
    expect(await tryCall(endpoint, "root", "")).toBe(false);
  });
});

describe("nobody writes what their role may not (issue 3)", () => {
  test.each(withBody.map((endpoint) => [endpoint.line, endpoint] as const))(
    "%s: fields that are not the call's are left aside",
    async (_line, endpoint) => {
      const base: () => Record<string, unknown> = endpoint.body ?? (() => ({}));
      // Calls that create accounts get all forbidden fields at once. Calls that change accounts also get each field alone.
      const alone = endpoint.writes?.includes("count.users") ? [] : Object.entries(FORBIDDEN_FIELDS);
      for (const [field, value] of alone) {
        const body = base();
        const own = field in body || endpoint.writes?.some((name) => name.endsWith(`.${field}`));
        if (!own) await tryCall(endpoint, endpoint.access, "", JSON.stringify({ ...body, [field]: value }));
      }
      const all = { ...FORBIDDEN_FIELDS, ...base() };
      await tryCall(endpoint, endpoint.access, "", JSON.stringify(all));
    },
    60_000,
  );

  test("an account that signs up with everything it should not ask for is an ordinary one without a gift", async () => {
    const endpoint = endpoints.find(({ line }) => line === "POST /api/user/register");
    if (!endpoint?.body) throw new Error("no endpoint");
    const body = { ...FORBIDDEN_FIELDS, ...endpoint.body() };
    expect(await tryCall(endpoint, "nobody", "", JSON.stringify(body))).toBe(true);
    const [row] = await api.database.sql`
      select role, status, quota, "group", aff_quota, email, inviter_id from users where username = ${`f${free}`}`;
    expect(row).toEqual({
      role: 1,
      status: 1,
      quota: 0,
      group: "default",
      aff_quota: 0,
      email: null,
      inviter_id: null,
    });
  });

  test.each(
    [...fromTables, ...plain, ...endpoints]
      .filter(({ access }) => access !== "nobody")
      .map((e) => [e.line, e] as const),
  )("%s: lower roles are refused, visitors with 401 (A166)", async (_line, endpoint) => {
    const order: Who[] = ["nobody", "alice", "admin", "root"];
    const lower = order.slice(0, order.indexOf(endpoint.access));
    const body = endpoint.body ? JSON.stringify(endpoint.body()) : "{}";
    for (const who of lower) {
      const { result: answer, changed } = await changedBy(() => send(endpoint, who, "", body));
      expect([answer.status, assertClear(answer, endpoint.line)]).toEqual([who === "nobody" ? 401 : 200, false]);
      expect(changed).toEqual([]);
    }
  });

  test("an administrator's calls with the id of root, a peer or itself change nothing (B213)", async () => {
    const targets = [api.root.id, api.admin.id];
    for (const endpoint of withBody.filter(({ body }) => body && "id" in body())) {
      for (const id of targets) {
        const body = JSON.stringify({ ...endpoint.body?.(), id });
        expect(await tryCall(endpoint, "admin", "", body), endpoint.line).toBe(false);
      }
    }
  });
});
