import { eq } from "drizzle-orm";
import { beforeEach, describe, expect, test } from "vitest";
import * as oauthTable from "@/app/api/oauth/[[...path]]/route";
import { sessions, users } from "@/db/schema";
import { signTelegram } from "@/lib/testing/fake-oauth-provider";
import { call, createPerson, type Person } from "./harness";
import { BOT_TOKEN, listUsers, newPerson, openBrowser, setOptions, setUpOAuth } from "./oauth-harness";

const oauth = setUpOAuth();
const { api } = oauth;
const person = (): Promise<Person> => createPerson(api.database, `p${newPerson().id}`, 1);

async function rowOf(id: number) {
  const [row] = await api.database.db.select().from(users).where(eq(users.id, id));
  if (!row) throw new Error("no such user");
  return row;
}

describe("WeChat", () => {
  let id = "";
  beforeEach(() => {
    id = `openid-${oauth.provider.person.id}`;
    oauth.provider.wechatCodes.set("123456", id);
  });
  const login = (code: string) => openBrowser().get(`GET /api/oauth/wechat?code=${code}`);
  const bind = (as: Person, code: string) => call(oauthTable, `GET /api/oauth/wechat/bind?code=${code}`, { as });

  test("a code signs in; data is the user, the WeChat id is kept, and a code is good once (A192)", async () => {
    const answer = await login("123456");
    const { data } = answer.json;
    expect(data).toMatchObject({
      username: `wechat_${data.id}`,
      display_name: `wechat_${data.id}`,
      role: 1,
      status: 1,
    });
    expect(answer.headers.get("set-cookie")).toMatch(/^session=/);
    expect((await rowOf(data.id)).wechatId).toBe(id);
    const again = await login("123456");
    expect(again.json).toEqual({ success: false, message: "验证码错误或已过期" });
    oauth.provider.wechatCodes.set("654321", id);
    expect((await login("%20654321%20")).json.data.id).toBe(data.id);
  });

  test("a code binds the account that is signed in, which then signs in by WeChat (A193)", async () => {
    const owner = await person();
    expect((await bind(owner, "123456")).json).toEqual({ success: true, message: "" });
    expect((await rowOf(owner.id)).wechatId).toBe(id);
    oauth.provider.wechatCodes.set("1", id);
    expect((await login("1")).json.data.id).toBe(owner.id);
  });

  test("binding asks for the user header, so no link of another site can bind (A193)", async () => {
    const owner = await person();
    const followed = await call(oauthTable, "GET /api/oauth/wechat/bind?code=123456", {
      headers: { cookie: owner.cookie },
    });
    expect(followed.status).toBe(401);
    expect((await call(oauthTable, "GET /api/oauth/wechat/bind?code=123456")).status).toBe(401);
    expect((await rowOf(owner.id)).wechatId).toBeNull();
  });

  test("an id that is bound is not bound twice, nor a second one to an account (B273)", async () => {
    const [owner, other] = [await person(), await person()];
    await bind(owner, "123456");
    oauth.provider.wechatCodes.set("2", id).set("3", `${id}-other`);
    expect((await bind(other, "2")).json.message).toBe("该微信账户已被绑定");
    expect((await bind(owner, "3")).json.message).toBe("您已绑定另一个微信账户，请先解绑");
  });

  test.each([
    ["", "请输入验证码"],
    ["%20", "请输入验证码"],
    ["nope", "验证码错误或已过期"],
    ["x".repeat(900), "验证码错误或已过期"],
    ["%00", "无效的参数"],
  ])("a wrong code is refused: %s", async (code, message) => {
    const answer = await login(code);
    expect([answer.status, answer.json]).toEqual([200, { success: false, message }]);
  });

  test("switched off, not set up, or away: each is said (B273)", async () => {
    await setOptions(api, { WeChatAuthEnabled: "false" });
    expect((await login("123456")).json.message).toBe("管理员未开启微信登录与注册");
    expect((await bind(await person(), "123456")).json.message).toBe("管理员未开启微信登录与注册");
    await setOptions(api, { WeChatAuthEnabled: "true", WeChatServerAddress: "http://127.0.0.1:9" });
    expect((await login("123456")).json.message).toBe("无法连接至微信服务器，请稍后重试！");
    await setOptions(api, { WeChatServerAddress: oauth.provider.url, WeChatServerToken: "wrong" });
    expect((await login("123456")).json.message).toBe("微信服务器返回的用户信息无效，请稍后重试！");
    await setOptions(api, { WeChatServerToken: oauth.provider.wechatToken });
    const before = (await listUsers(api)).length;
    await setOptions(api, { RegisterEnabled: "false" });
    expect((await login("123456")).json.message).toBe("管理员已关闭新用户注册");
    await setOptions(api, { RegisterEnabled: "true" });
    expect((await listUsers(api)).length).toBe(before);
  });

  test("another site's link does not sign the reader in as somebody else", async () => {
    const answer = await openBrowser().get("GET /api/oauth/wechat?code=123456", {
      headers: { "sec-fetch-site": "cross-site" },
    });
    expect([answer.json.success, answer.headers.get("set-cookie")]).toEqual([false, null]);
  });
});

describe("Telegram", () => {
  const now = () => Math.floor(Date.now() / 1000);
  /** A login is good for one use, so each is another one. */
  let serial = 0;
  const fields = (more: Record<string, string> = {}) => ({
    id: String(oauth.provider.person.id),
    first_name: "Ada & Co",
    username: `ada${serial++}`,
    auth_date: String(now()),
    ...more,
  });
  const query = (values: Record<string, string>) => new URLSearchParams(values).toString();
  const login = (values: Record<string, string>) => openBrowser().get(`GET /api/oauth/telegram/login?${query(values)}`);
  const bind = (as: Person, values: Record<string, string>) =>
    call(oauthTable, `GET /api/oauth/telegram/bind?${query(values)}`, { as });

  test("binding answers 302 to /setting; then the widget signs in, with lang beside what is signed (A195, A196)", async () => {
    const owner = await person();
    const bound = await bind(owner, signTelegram(BOT_TOKEN, fields()));
    expect([bound.status, bound.headers.get("location")]).toEqual([302, "/setting"]);
    const all = fields({ last_name: "Lovelace", photo_url: "https://t.me/i/ada.jpg" });
    for (const values of [fields(), all]) {
      const answer = await login({ ...signTelegram(BOT_TOKEN, values), lang: "en" });
      expect(answer.json.data).toMatchObject({ id: owner.id, username: owner.username });
      expect(answer.headers.get("set-cookie")).toMatch(/^session=/);
    }
    const [session] = await api.database.db
      .select()
      .from(sessions)
      .where(eq(sessions.userId, owner.id))
      .orderBy(sessions.method);
    expect([session?.method]).toContainEqual("password");
  });

  test("who has bound nothing does not come in, and no account is made (A195)", async () => {
    const before = (await listUsers(api)).length;
    const answer = await login(signTelegram(BOT_TOKEN, fields()));
    expect(answer.json).toEqual({ success: false, message: "该 Telegram 账户未绑定，请先登录后在个人设置中绑定" });
    expect((await listUsers(api)).length).toBe(before);
  });

  test.each([
    ["another bot's token", () => signTelegram("1:other", fields())],
    ["a changed id", () => ({ ...signTelegram(BOT_TOKEN, fields()), id: "1" })],
    ["an added field", () => ({ ...signTelegram(BOT_TOKEN, fields()), last_name: "X" })],
    ["no hash", () => fields()],
    ["an empty hash", () => ({ ...fields(), hash: "" })],
    ["a hash of zeros", () => ({ ...fields(), hash: "0".repeat(64) })],
    ["a hash that is no hex", () => ({ ...fields(), hash: "z".repeat(64) })],
    ["no id", () => signTelegram(BOT_TOKEN, { auth_date: String(now()) })],
    ["an id that is no number", () => signTelegram(BOT_TOKEN, fields({ id: "1 or 1" }))],
    ["a very long field", () => signTelegram(BOT_TOKEN, fields({ username: "x".repeat(5_000) }))],
  ])("what the bot did not sign is refused: %s", async (_, values) => {
    const owner = await person();
    for (const answer of [await login(values()), await bind(owner, values())]) {
      expect([answer.status, answer.json]).toEqual([200, { success: false, message: "Telegram 登录数据校验失败" }]);
    }
    expect((await rowOf(owner.id)).telegramId).toBeNull();
  });

  test.each([
    ["older than ten minutes", () => String(now() - 610)],
    ["from the future", () => String(now() + 3_600)],
    ["missing", () => ""],
    ["no number", () => "soon"],
  ])("a signature that is %s is refused", async (_, date) => {
    const answer = await login(signTelegram(BOT_TOKEN, fields({ auth_date: date() })));
    expect(answer.json.message).toBe("Telegram 登录数据已过期，请重新登录");
  });

  test("a login is good for one use, however it is written", async () => {
    const owner = await person();
    const bound = signTelegram(BOT_TOKEN, fields());
    expect((await bind(owner, bound)).status).toBe(302);
    const seen = signTelegram(BOT_TOKEN, fields());
    expect((await login(seen)).json.success).toBe(true);
    for (const again of [bound, seen, { ...seen, hash: String(seen.hash).toUpperCase() }, { ...seen, lang: "en" }]) {
      const answer = await login(again);
      expect([answer.json.success, answer.headers.get("set-cookie")]).toEqual([false, null]);
    }
    expect((await bind(await person(), seen)).json.success).toBe(false);
  });

  test("binding by a link needs a state that this browser asked for while signed in (A196)", async () => {
    const owner = await person();
    const signed = query(signTelegram(BOT_TOKEN, fields()));
    const browser = openBrowser(owner);
    const bare = await browser.get(`GET /api/oauth/telegram/bind?${signed}`);
    expect(bare.json).toMatchObject({ success: false, message: "此次登录在其他浏览器中发起或已过期，请重新操作" });
    const anonymous = await openBrowser().get("GET /api/oauth/state?provider=telegram");
    const foreign = await browser.get(`GET /api/oauth/telegram/bind?${signed}&state=${anonymous.json.data}`);
    expect(foreign.json.success).toBe(false);
    const { data } = (await browser.get("GET /api/oauth/state?provider=telegram")).json;
    const navigation = { headers: { "sec-fetch-site": "cross-site", "sec-fetch-mode": "navigate" } };
    const bound = await browser.get(`GET /api/oauth/telegram/bind?${signed}&state=${data}`, navigation);
    expect([bound.status, bound.headers.get("location")]).toEqual([302, "/setting"]);
    expect((await rowOf(owner.id)).telegramId).toBe(fields().id);
  });

  test("a browser whose binding is refused is led to a page that says why (B268)", async () => {
    const browser = openBrowser(await person());
    const answer = await browser.get(`GET /api/oauth/telegram/bind?${query(signTelegram(BOT_TOKEN, fields()))}`, {
      headers: { "sec-fetch-mode": "navigate" },
    });
    expect([answer.status, answer.headers.get("location")]).toEqual([
      302,
      "/oauth/telegram?refused=oauthStateMismatch",
    ]);
  });

  test("without a session binding answers 401, and switched off both are refused by name", async () => {
    const values = signTelegram(BOT_TOKEN, fields());
    expect((await openBrowser().get(`GET /api/oauth/telegram/bind?${query(values)}`)).status).toBe(401);
    const owner = await person();
    await setOptions(api, { TelegramOAuthEnabled: "false" });
    const answers = [await login(values), await bind(owner, values)];
    await setOptions(api, { TelegramOAuthEnabled: "true" });
    expect(answers.map(({ json }) => json.message)).toEqual(Array(2).fill("管理员未开启 Telegram 登录与注册"));
  });

  test("what is bound to somebody is not bound again (B273)", async () => {
    const [owner, other] = [await person(), await person()];
    await bind(owner, signTelegram(BOT_TOKEN, fields()));
    expect((await bind(other, signTelegram(BOT_TOKEN, fields()))).json.message).toBe("该 Telegram 账户已被绑定");
  });
});
