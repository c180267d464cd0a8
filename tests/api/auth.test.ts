import { describe, expect, test } from "vitest";
import * as unknownApi from "@/app/api/[...path]/route";
import * as channelApi from "@/app/api/channel/[[...path]]/route";
import * as groupApi from "@/app/api/group/[[...path]]/route";
import * as optionApi from "@/app/api/option/[[...path]]/route";
import * as tokenApi from "@/app/api/token/[[...path]]/route";
import * as userApi from "@/app/api/user/[[...path]]/route";
import { BCRYPT, PASSWORD as PASSWORD_OF_BEFORE } from "@/tests/imports/new-api-rows";
import { call, createPerson, PASSWORD, setUpApi } from "./harness";

const api = setUpApi();
const self = "GET /api/user/self";

describe("who may call (contract §1.2, B219)", () => {
  test("1: neither session nor access token answers 401", async () => {
    const answer = await call(userApi, self);
    expect([answer.status, answer.json.success, answer.json.message]).toEqual([
      401,
      false,
      "无权进行此操作，未登录且未提供访问令牌",
    ]);
  });

  test("2: an unknown access token answers 200 without success, before the user header is looked at", async () => {
    const answer = await call(userApi, self, { headers: { authorization: "Bearer nope" } });
    expect([answer.status, answer.json.success, answer.json.message]).toEqual([
      200,
      false,
      "无权进行此操作，访问令牌无效",
    ]);
  });

  test.each([
    ["4: missing", ""],
    ["5: malformed", "abc"],
    ["6: of somebody else", "999999"],
  ])("user header %s answers 401, with a cookie too (A167)", async (_name, header) => {
    const answer = await call(userApi, self, { as: api.alice, headers: { "new-api-user": header } });
    expect([answer.status, answer.json.success]).toEqual([401, false]);
  });

  test("7: a banned user answers 200 without success, by cookie and by access token", async () => {
    const mallory = await createPerson(api.database, "mallory", 1);
    await api.database.sql`update users set status = 2 where id = ${mallory.id}`;
    for (const by of ["cookie", "token"] as const) {
      const answer = await call(userApi, self, { as: mallory, by });
      expect([answer.status, answer.json.message]).toEqual([200, "用户已被封禁"]);
    }
  });

  test.each([
    ["GET /api/channel/", channelApi],
    ["GET /api/channel/models", channelApi],
    ["GET /api/channel/1", channelApi],
    ["DELETE /api/channel/disabled", channelApi],
    ["GET /api/group/", groupApi],
    ["GET /api/option/", optionApi],
    ["POST /api/option/rest_model_ratio", optionApi],
  ])("8: %s is refused to an ordinary user with 200 (B209, B216)", async (line, table) => {
    const answer = await call(table, line, { as: api.alice });
    expect([answer.status, answer.json.success, answer.json.message]).toEqual([200, false, "无权进行此操作，权限不足"]);
  });

  test("options are for root alone", async () => {
    expect((await call(optionApi, "GET /api/option/", { as: api.admin })).json.success).toBe(false);
    expect((await call(optionApi, "GET /api/option/", { as: api.root })).json.success).toBe(true);
  });

  test("session and access token both serve, with and without Bearer (A168, B005)", async () => {
    const byCookie = await call(userApi, self, { as: api.alice });
    const byToken = await call(userApi, self, { as: api.alice, by: "token" });
    const bearer = await call(userApi, self, {
      headers: { authorization: `Bearer ${api.alice.accessToken}`, "new-api-user": String(api.alice.id) },
    });
    expect([byCookie.json.data.id, byToken.json.data.id, bearer.json.data.id]).toEqual(Array(3).fill(api.alice.id));
  });

  test("a request that another site makes with the reader's cookie counts as not signed in", async () => {
    const headers = { "sec-fetch-site": "cross-site" };
    expect((await call(userApi, self, { as: api.alice, headers })).status).toBe(401);
    // It makes a new token, so it is refused before anybody is looked for.
    expect((await call(userApi, "GET /api/user/token", { as: api.alice, headers })).json.success).toBe(false);
  });

  test("another site can neither sign the reader in nor out", async () => {
    const headers = { "sec-fetch-site": "cross-site" };
    const body = { username: "alice", password: PASSWORD };
    const signedIn = await call(userApi, "POST /api/user/login", { body, headers });
    const signedOut = await call(userApi, "GET /api/user/logout", { as: api.alice, headers });
    expect([signedIn, signedOut].map((answer) => [answer.json.success, answer.headers.get("set-cookie")])).toEqual([
      [false, null],
      [false, null],
    ]);
  });

  test("a forged or altered cookie is no session", async () => {
    const { cookie } = api.alice;
    // Changes the first character: some bits of the last one are not significant.
    const at = cookie.lastIndexOf(".") + 1;
    const forged = `${cookie.slice(0, at)}${cookie[at] === "x" ? "y" : "x"}${cookie.slice(at + 1)}`;
    expect((await call(userApi, self, { as: { ...api.alice, cookie: forged } })).status).toBe(401);
  });
});

describe("the envelope (contract §1.1)", () => {
  test("an unknown path answers 404 with an OpenAI error body", async () => {
    const answer = await call(unknownApi, "GET /api/nothing/here");
    expect(answer.status).toBe(404);
    expect(answer.json.error).toMatchObject({ type: "invalid_request_error" });
    expect((await call(tokenApi, "GET /api/token/1/more", { as: api.alice })).status).toBe(404);
  });

  test("every answer names its request", async () => {
    const ids = [await call(userApi, self), await call(userApi, self)].map(({ headers }) =>
      headers.get("x-oneapi-request-id"),
    );
    expect(new Set(ids).size).toBe(2);
    expect(ids).not.toContain(null);
  });

  test("both slash spellings answer", async () => {
    for (const path of ["/api/token", "/api/token/"]) {
      expect((await call(tokenApi, `GET ${path}`, { as: api.alice })).json).toMatchObject({ success: true, data: [] });
    }
  });

  test("messages come in the language of the caller: cookie, else browser, else Chinese", async () => {
    const speak = async (headers: Record<string, string>) => (await call(userApi, self, { headers })).json.message;
    expect(await speak({ "accept-language": "en-US,en" })).toMatch(/^Not permitted/);
    expect(await speak({ "accept-language": "en", cookie: "locale=zh" })).toMatch(/^无权/);
    expect(await speak({})).toMatch(/^无权/);
  });

  test.each(["{", "[]", '"text"', "null"])("a body that is no JSON object is refused: %s", async (body) => {
    const answer = await call(tokenApi, "POST /api/token/", { as: api.alice, body });
    expect([answer.status, answer.json]).toEqual([200, { success: false, message: "无效的参数" }]);
    expect((await call(optionApi, "PUT /api/option/", { as: api.root, body })).status).toBe(400);
  });

  test("a body beyond every purpose is refused", async () => {
    const answer = await call(tokenApi, "POST /api/token/", { as: api.alice, body: " ".repeat(5_000_000) });
    expect([answer.status, answer.json.success]).toEqual([413, false]);
  });
});

describe("sign-in (A186, contract §9.1)", () => {
  const login = (username: string, password: string, ip = "198.51.100.1") =>
    call(userApi, "POST /api/user/login", {
      body: { username, password },
      headers: { "x-forwarded-for": ip },
    });
  const cookieOf = (headers: Headers) => (headers.get("set-cookie") ?? "").split(";")[0] ?? "";

  test.each(["alice", "ALICE", "alice@weir.example", " alice "])("by name or e-mail: %s", async (name) => {
    const answer = await login(name, PASSWORD);
    expect(answer.json.data).toEqual({
      id: api.alice.id,
      username: "alice",
      display_name: "alice",
      role: 1,
      status: 1,
      group: "default",
    });
    const session = { ...api.alice, cookie: cookieOf(answer.headers) };
    expect((await call(userApi, self, { as: session })).json.data.username).toBe("alice");
  });

  test("by the bcrypt hash that an imported account comes with, which is then replaced by one of Weir's own", async () => {
    const moved = await createPerson(api.database, "moved", 1);
    const { sql } = api.database;
    await sql`update users set password_hash = ${BCRYPT} where id = ${moved.id}`;
    expect((await login("moved", PASSWORD)).json.success).toBe(false);
    expect(await sql`select password_hash from users where id = ${moved.id}`).toEqual([{ password_hash: BCRYPT }]);
    for (let time = 0; time < 2; time++) expect((await login("moved", PASSWORD_OF_BEFORE)).json.success).toBe(true);
    const [row] = await sql`select password_hash from users where id = ${moved.id}`;
    expect(row?.password_hash).toMatch(/^scrypt\$/);
  });

  test("the cookie is HttpOnly, SameSite, lasts 30 days, and is Secure behind https", async () => {
    const answer = await call(userApi, "POST /api/user/login", {
      body: { username: "alice", password: PASSWORD },
      headers: { "x-forwarded-proto": "https" },
    });
    expect(answer.headers.get("set-cookie")).toMatch(
      /^session=[\w.-]+; Path=\/; Max-Age=2592000; SameSite=Lax; HttpOnly; Secure$/,
    );
  });

  test("one message for an unknown user, a wrong password and a banned user; status 200", async () => {
    const banned = await createPerson(api.database, "banned", 1);
    await call(userApi, "POST /api/user/manage", { as: api.admin, body: { id: banned.id, action: "disable" } });
    const answers = [
      await login("nobody", PASSWORD),
      await login("alice", "wrong-one"),
      await login("banned", PASSWORD),
    ];
    expect(new Set(answers.map(({ json }) => json.message))).toEqual(new Set(["用户名或密码错误，或用户已被封禁"]));
    expect(answers.map(({ status, headers }) => [status, headers.get("set-cookie")])).toEqual(
      Array(3).fill([200, null]),
    );
  });

  test("too many attempts for an account from an address answer 429 even with the right password; others are not affected", async () => {
    await createPerson(api.database, "carol", 1);
    for (let i = 0; i < 10; i++) await login("carol", "wrong-one", "203.0.113.99");
    expect((await login("carol", PASSWORD, "203.0.113.99")).status).toBe(429);
    expect((await login("carol@weir.example", PASSWORD, "203.0.113.99")).status).toBe(429);
    expect((await login("bob", PASSWORD, "203.0.113.99")).json.success).toBe(true);
    expect((await login("carol", PASSWORD, "203.0.113.98")).json.success).toBe(true);
  });

  test("parallel guesses cannot slip past the limit", async () => {
    await createPerson(api.database, "dave", 1);
    const answers = await Promise.all(Array.from({ length: 20 }, () => login("dave", "wrong-one", "203.0.113.100")));
    expect(answers.filter(({ status }) => status === 429)).toHaveLength(10);
  });

  test("too many attempts from an address answer 429 for whichever account", async () => {
    for (let i = 0; i < 40; i++) await login(`ghost${i}`, "wrong-one", "192.0.2.7");
    expect((await login("alice", PASSWORD, "192.0.2.7")).status).toBe(429);
    expect((await login("alice", PASSWORD, "192.0.2.8")).json.success).toBe(true);
  });

  test("signing in by password can be switched off", async () => {
    const put = (value: boolean) =>
      call(optionApi, "PUT /api/option/", { as: api.root, body: { key: "PasswordLoginEnabled", value } });
    expect((await put(false)).json.success).toBe(true);
    expect((await login("alice", PASSWORD)).json.message).toBe("管理员已关闭密码登录");
    await put(true);
  });

  test("signing out clears the cookie (A122)", async () => {
    const answer = await call(userApi, "GET /api/user/logout", { as: api.alice });
    expect(answer.headers.get("set-cookie")).toMatch(/^session=; Path=\/; Max-Age=0/);
  });
});
