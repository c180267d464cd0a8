import { describe, expect, test } from "vitest";
import * as userApi from "@/app/api/user/[[...path]]/route";
import { createBilledChannel } from "@/lib/testing/billing";
import { fromElsewhere, setOptions } from "./account-harness";
import { call, createPerson, PASSWORD, type Person, setUpApi } from "./harness";

const api = setUpApi();
let count = 0;

const person = (role = 1) => createPerson(api.database, `s${++count}`, role);
const self = async (as: Person, by: "cookie" | "token" = "cookie") => call(userApi, "GET /api/user/self", { as, by });
const put = (as: Person, body: object, by: "cookie" | "token" = "cookie", headers = {}) =>
  call(userApi, "PUT /api/user/self", { as, by, body, headers: { ...fromElsewhere(), ...headers } });
const login = (username: string, password: string) =>
  call(userApi, "POST /api/user/login", { body: { username, password }, headers: fromElsewhere() });
/** Makes the last proof of identity of the person's sessions too old. */
const letProofExpire = ({ id }: Person) => api.database.sql`update sessions set confirmed_at = 1 where user_id = ${id}`;

describe("own account (A173, A176)", () => {
  test("only {password} changes the password and nothing else", async () => {
    const user = await person();
    const before = (await self(user)).json.data;
    const answer = await put(user, { password: "another-one" });
    expect(answer.json).toEqual({ success: true, message: "" });
    const cookie = (answer.headers.get("set-cookie") ?? "").split(";")[0] ?? "";
    expect((await self({ ...user, cookie })).json.data).toEqual(before);
    expect((await login(user.username, PASSWORD)).json.success).toBe(false);
    expect((await login(user.username, "another-one")).json.success).toBe(true);
  });

  test.each([
    "role",
    "status",
    "quota",
    "used_quota",
    "request_count",
    "group",
    "id",
    "aff_code",
    "aff_count",
    "aff_quota",
    "aff_history_quota",
    "inviter_id",
    "email",
    "github_id",
    "telegram_id",
    "concurrency_limit",
    "requests_per_minute",
    "tokens_per_minute",
    "budget_day",
    "budget_month",
    "access_token",
    "session_version",
    "DeletedAt",
  ])("%s cannot be written by its owner", async (field) => {
    const user = await person();
    const read = () => api.database.sql`select * from users where id = ${user.id}`;
    const before = await read();
    for (const value of [100, "100", null, { a: 1 }]) await put(user, { [field]: value });
    expect(await read()).toEqual(before);
  });

  test("one's own name sent back is no change; a new one must be free and fit", async () => {
    const user = await person();
    expect((await put(user, { username: user.username, display_name: "New" })).json.success).toBe(true);
    expect((await put(user, { username: "ALICE" })).json.message).toBe("用户名已被使用");
    expect((await put(user, { username: "x".repeat(13) })).json.message).toBe("用户名长度必须在 1 到 12 个字符之间");
    expect((await put(user, { display_name: "x".repeat(21) })).json.message).toBe("显示名称过长（最多 20 个字符）");
    const renamed = `s${++count}`;
    expect((await put(user, { username: renamed })).json.success).toBe(true);
    expect((await self(user)).json.data).toMatchObject({ username: renamed, display_name: "New" });
  });

  test("a borrowed browser changes neither name nor password without the current password", async () => {
    const user = await person();
    await letProofExpire(user);
    // Headers that every browser sets and no script can remove.
    for (const page of [{ origin: "http://weir.example", host: "weir.example" }, { "sec-fetch-site": "same-origin" }]) {
      const ask = (body: object) => put(user, body, "cookie", page);
      for (const body of [{ password: "another-one" }, { username: `s${++count}` }]) {
        expect((await ask(body)).json).toMatchObject({ success: false, code: "step_up_required" });
      }
      expect((await ask({ display_name: "Fine" })).json.success).toBe(true);
      expect((await ask({ password: "another-one", original_password: "no" })).json.message).toBe("原密码错误");
    }
    const page = { origin: "http://weir.example", host: "weir.example" };
    const right = await put(user, { password: "another-one", original_password: PASSWORD }, "cookie", page);
    expect(right.json.success).toBe(true);
  });

  test("a program changes the password by {password} alone while its session is fresh (A173)", async () => {
    const user = await person();
    expect((await put(user, { password: "another-one" })).json).toEqual({ success: true, message: "" });
    expect((await self(user)).status).toBe(401);
    expect((await login(user.username, "another-one")).json.success).toBe(true);
    const told = await api.database.sql`select event from notifications where user_id = ${user.id}`;
    expect(told.length).toBeGreaterThan(0);
  });

  test("an access token changes the password, gets no session for it, and ends (A173)", async () => {
    const user = await person();
    const wrong = await put(user, { password: "another-one", original_password: "no" }, "token");
    expect(wrong.json.message).toBe("原密码错误");
    const answer = await put(user, { password: "another-one" }, "token");
    expect([answer.json.success, answer.headers.get("set-cookie")]).toEqual([true, null]);
    expect([(await self(user)).status, (await self(user, "token")).json.success]).toEqual([401, false]);
    expect((await login(user.username, "another-one")).json.success).toBe(true);
  });

  test("guesses at the current password are limited as at sign-in", async () => {
    const user = await person();
    const here = fromElsewhere();
    const change = (original_password: string) =>
      put(user, { password: "another-one", original_password }, "cookie", here);
    for (let i = 0; i < 10; i++) await change("no");
    expect((await change(PASSWORD)).status).toBe(429);
    const body = { username: user.username, password: PASSWORD };
    expect((await call(userApi, "POST /api/user/login", { body, headers: here })).status).toBe(429);
  });

  test("deleting it ends sessions and access token; the row stays for the books (A177)", async () => {
    const user = await person();
    const answer = await call(userApi, "DELETE /api/user/self", { as: user });
    expect(answer.json.success).toBe(true);
    expect(answer.headers.get("set-cookie")).toMatch(/^session=;/);
    expect([(await self(user)).status, (await self(user, "token")).json.success]).toEqual([401, false]);
    expect((await login(user.username, PASSWORD)).json.success).toBe(false);
    const [row] = await api.database.sql`select deleted_at is not null as gone from users where id = ${user.id}`;
    expect(row).toEqual({ gone: true });
    const refused = await call(userApi, "DELETE /api/user/self", { as: api.root });
    expect(refused.json.message).toBe("不能删除超级管理员账户");
  });

  test("signing out ends the session on the server too (A184)", async () => {
    const user = await person();
    await call(userApi, "GET /api/user/logout", { as: user });
    expect((await self(user)).status).toBe(401);
  });

  test("usable models are those of enabled channels in one's own groups (A182)", async () => {
    const channels = [
      { group: "default", models: "gpt-a,gpt-b", status: 1 },
      { group: "vip,default", models: "gpt-b,gpt-c", status: 1 },
      { group: "default", models: "gpt-off", status: 2 },
      { group: "svip", models: "gpt-svip", status: 1 },
    ];
    for (const { group, models, status } of channels) {
      const id = await createBilledChannel(api.database);
      await api.database.sql`
        update channels set "group" = ${group}, models = ${models}, status = ${status} where id = ${id}`;
    }
    const answer = await call(userApi, "GET /api/user/models", { as: api.alice });
    expect(answer.json.data).toEqual(["gpt-a", "gpt-b", "gpt-c"]);
  });

  test("own groups come with description and ratio (B235)", async () => {
    const { data } = (await call(userApi, "GET /api/user/self/groups", { as: api.alice })).json;
    expect(data.default).toEqual({ desc: "默认分组", ratio: 1 });
  });
});

describe("who is asking (A161, A167, B219)", () => {
  const ask = (headers: Record<string, string>) => call(userApi, "GET /api/user/self", { headers });

  test("every call carries the id of its user, and a wrong or missing one answers 401", async () => {
    const user = await person();
    for (const id of ["", "abc", "-1", String(api.bob.id)]) {
      expect((await ask({ cookie: user.cookie, "new-api-user": id })).status).toBe(401);
    }
    expect((await ask({ cookie: user.cookie })).status).toBe(401);
    const right = await ask({ cookie: user.cookie, "new-api-user": String(user.id) });
    expect(right.json.data.id).toBe(user.id);
  });

  test("nobody signed in, a token that is none, and too low a rank are told apart", async () => {
    const messages = [
      await ask({}),
      await ask({ authorization: "nonsense" }),
      await call(userApi, "GET /api/user/", { as: api.alice }),
    ].map(({ json }) => json.message);
    expect(messages).toEqual([
      "无权进行此操作，未登录且未提供访问令牌",
      "无权进行此操作，访问令牌无效",
      "无权进行此操作，权限不足",
    ]);
  });
});

describe("signing in (A140, A186, B272)", () => {
  test("empty fields, wrong or banned, and switched off are told apart, in both languages", async () => {
    const speak = async (body: object, language: string) =>
      (
        await call(userApi, "POST /api/user/login", {
          body,
          headers: { ...fromElsewhere(), "accept-language": language },
        })
      ).json.message;
    expect(await speak({ username: "", password: "" }, "zh")).toBe("请输入用户名和密码！");
    expect(await speak({}, "zh")).toBe("请输入用户名和密码！");
    expect(await speak({ username: "alice", password: "wrong-one" }, "zh")).toBe("用户名或密码错误，或用户已被封禁");
    await setOptions(api.database, { PasswordLoginEnabled: false });
    expect(await speak({ username: "alice", password: PASSWORD }, "zh")).toBe("管理员已关闭密码登录");
    expect(await speak({ username: "alice", password: PASSWORD }, "en")).not.toMatch(/\p{Script=Han}/u);
    await setOptions(api.database, { PasswordLoginEnabled: true });
    expect(await speak({ username: "alice", password: PASSWORD }, "zh")).toBe("");
  });
});
