import { afterEach, describe, expect, test } from "vitest";
import * as redemptionApi from "@/app/api/redemption/[[...path]]/route";
import * as userApi from "@/app/api/user/[[...path]]/route";
import { consoleDatabase } from "@/lib/console-database";
import en from "@/messages/en.json";
import { call, setUpApi } from "./harness";

const api = setUpApi();
const inEnglish = { headers: { "accept-language": "en" } };

describe("what is said when something is wrong that is not about one call (B280)", () => {
  afterEach(() => {
    process.env.DATABASE_URL = api.database.url;
  });

  test("who is not signed in, or whose session has ended, is told so with 401", async () => {
    const answer = await call(userApi, "GET /api/user/self", { headers: { "new-api-user": String(api.alice.id) } });
    expect(answer.status).toBe(401);
    expect(answer.json).toEqual({ success: false, message: "无权进行此操作，未登录且未提供访问令牌" });
    await api.database.sql`update sessions set expires_at = 1 where user_id = ${api.bob.id}`;
    const ended = await call(userApi, "GET /api/user/self", { as: api.bob, ...inEnglish });
    expect([ended.status, ended.json]).toEqual([401, { success: false, message: en.errors.notSignedIn }]);
  });

  test("a fault of the server is an internal error, without a word of what went wrong inside", async () => {
    await api.database.sql`alter table redemptions rename to redemptions_away`;
    const ask = (headers: Record<string, string> = {}) =>
      call(redemptionApi, "GET /api/redemption/?p=1&page_size=10", { as: api.admin, headers });
    const answers = [await ask(), await ask(inEnglish.headers)];
    await api.database.sql`alter table redemptions_away rename to redemptions`;
    expect(answers.map(({ json }) => json)).toEqual([
      { success: false, message: "服务器内部错误，请联系管理员！" },
      { success: false, message: "Internal server error. Contact the administrator." },
    ]);
    expect((await ask()).json.success).toBe(true);
  });

  test("too many tries of something that can be guessed are refused by that name", async () => {
    const redeem = () => call(userApi, "POST /api/user/topup", { as: api.alice, body: { key: "0".repeat(32) } });
    const messages = [];
    for (let i = 0; i < 40 && messages.at(-1) !== "请求次数过多，请稍后再试！"; i++) {
      messages.push((await redeem()).json.message);
    }
    expect(messages[0]).not.toBe("请求次数过多，请稍后再试！");
    expect(messages.at(-1)).toBe("请求次数过多，请稍后再试！");
  });

  test("a database that cannot be reached is 503 for signing in too, and all is well once it is back", async () => {
    const holder = globalThis as typeof globalThis & { weirConsoleDatabase?: unknown };
    const swap = async (url: string) => {
      await consoleDatabase().end();
      delete holder.weirConsoleDatabase;
      process.env.DATABASE_URL = url;
    };
    const login = () =>
      call(userApi, "POST /api/user/login", {
        body: { username: api.admin.username, password: api.admin.password },
        ...inEnglish,
      });
    await swap("postgres://nobody@127.0.0.1:1/none");
    const answer = await login();
    await swap(api.database.url);
    expect([answer.status, answer.json]).toEqual([503, { success: false, message: en.errors.databaseAway }]);
    expect((await login()).json.success).toBe(true);
  });
});
